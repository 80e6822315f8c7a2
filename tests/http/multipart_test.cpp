#include "http/multipart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>

#include "base/error.h"
#include "message.h"

namespace heed::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kType = "multipart/form-data; boundary=xyz";

/// A form of one part with this head.
MultipartForm form_of(const std::string& head, const std::string& value = "a") {
  return read_multipart("--xyz\r\n" + head + "\r\n\r\n" + value + "\r\n--xyz--\r\n", kType);
}

TEST(Multipart, HasFieldsInTheirOrderWithTheirBytes) {
  const MultipartForm form = read_multipart(
      "--xyz\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na\r\nb\r\n"
      "--xyz\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\n\r\n"
      "--xyz\r\ncontent-type: text/plain; charset=utf-8\r\n"
      "content-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n--xy\r\n\r\n"
      "--xyz--",
      kType);
  EXPECT_THAT(form.fields,
              ElementsAre(Pair("q", "a\r\nb"), Pair("q", ""), Pair("file", "--xy\r\n")));
  EXPECT_THAT(form.files, ElementsAre(Pair("file", "a.txt")));
  EXPECT_THAT(read_multipart("--xyz--", kType).fields, IsEmpty());
}

TEST(Multipart, NamesMayBeQuotedOrNot) {
  MultipartForm form = form_of("Content-Disposition: form-data; name=file; filename=x.txt");
  EXPECT_THAT(form.fields, ElementsAre(Pair("file", "a")));
  EXPECT_THAT(form.files, ElementsAre(Pair("file", "x.txt")));
  form = form_of(
      "Content-Disposition: form-data; name=file; filename=\"=?utf-8?B?bmHDr3ZlLnR4dA==?=\"; "
      "filename*=utf-8''na%C3%AFve.txt");
  EXPECT_THAT(form.files, ElementsAre(Pair("file", "na\u00efve.txt")));
  form = form_of("Content-Disposition:form-data;filename*=UTF-8'en'50%25;NAME = \"a;b\"");
  EXPECT_THAT(form.fields, ElementsAre(Pair("a;b", "a")));
  EXPECT_THAT(form.files, ElementsAre(Pair("a;b", "50%")));
  form = form_of(R"(Content-Disposition: form-data; name="a\"b"; filename="C:\\x\y\"")");
  EXPECT_THAT(form.files, ElementsAre(Pair("a\"b", R"(C:\x\y")")));
}

TEST(Multipart, NamesHaveTheCodesOfBrowsers) {
  const MultipartForm form = form_of(
      "Content-Disposition: form-data; name=\"a%22b\"; filename=\"%22c%0d%0A%41 100%%2\"", "%22");
  EXPECT_THAT(form.fields, ElementsAre(Pair("a\"b", "%22")));
  EXPECT_THAT(form.files, ElementsAre(Pair("a\"b", "\"c\r\n%41 100%%2")));
}

TEST(Multipart, LinesMayEndInALineFeedAlone) {
  const MultipartForm form = read_multipart(
      "before\n--a b\nContent-Disposition: form-data; name=q\n\none\ntwo\n--a b  \n"
      "Content-Disposition: form-data; name=r\n\n--a b--\nafter",
      "multipart/form-data; charset=utf-8; Boundary=\"a b\"");
  EXPECT_THAT(form.fields, ElementsAre(Pair("q", "one\ntwo"), Pair("r", "")));
}

TEST(Multipart, RefusesWhatIsNotWhole) {
  const std::string part = "--xyz\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na";
  for (const std::string& body :
       {std::string(), std::string("--xyz"), std::string("--xyz\r\n"), part, part + "\r\n--xyz",
        part + "\r\n--xyz-", part + "\r\n--xyz1\r\n", part + "--xyz--", "\r\n" + part,
        std::string("--xyz\r\nno field\r\n\r\na\r\n--xyz--"), std::string("{\"q\": \"a\"}")})
    EXPECT_THAT(message_of<UserError>([&] { read_multipart(body, kType); }),
                HasSubstr("no whole multipart form"))
        << body;
  EXPECT_THAT(
      message_of<UserError>([&] { read_multipart(part + "\r\n--xyz--", "multipart/form-data"); }),
      HasSubstr("no whole multipart form"));
}

TEST(Multipart, NamesPartsThatItCannotTake) {
  const auto problem = [](const std::string& head) {
    return message_of<UserError>([&] { form_of(head); });
  };
  EXPECT_THAT(problem("Content-Disposition: form-data"), HasSubstr("a part without a name"));
  EXPECT_THAT(problem("Content-Type: text/plain"), HasSubstr("a part without a name"));
  EXPECT_THAT(problem("Content-Transfer-Encoding: BASE64\r\n"
                      "Content-Disposition: form-data; name=q"),
              HasSubstr("a part in base64"));
  EXPECT_THAT(problem("Content-Disposition: form-data; name=q; filename*=latin1''%E4"),
              HasSubstr("filename* that is not UTF-8"));
}

TEST(Multipart, ReadsOrRefusesAnyBytes) {
  const std::string whole =
      "--xyz\r\nContent-Disposition: form-data; name=\"q\"; filename*=UTF-8''%41\r\n\r\na\r\n"
      "--xyz\nContent-Disposition: form-data; name=r; filename=\"a\\\"b\"\n\n\n--xyz--";
  const std::string bytes = "\r\n-\";=\\:%*'xyz \0";
  std::mt19937 draw(1);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string body = whole.substr(0, i % 7 == 0 ? draw() % whole.size() : whole.size());
    for (int changes = i % 4; changes > 0 && !body.empty(); --changes) {
      const std::size_t at = draw() % body.size();
      const char byte = bytes[draw() % bytes.size()];
      if (changes % 2 == 0)
        body[at] = byte;
      else
        body.insert(at, 1, byte);
    }
    try {
      const MultipartForm form = read_multipart(body, kType);
      ++read;
      EXPECT_LE(form.files.size(), form.fields.size());
      for (const auto& [name, value] : form.fields)
        EXPECT_NE(body.find(value), std::string::npos) << body;
    } catch (const UserError&) {
    }
  }
  EXPECT_GT(read, 5000);
  EXPECT_LT(read, 18000);
}

}  // namespace
}  // namespace heed::http
