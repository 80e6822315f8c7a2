// A line of an alignment: of a gold one, and of one that is trained with.
#include "data/alignment.h"
#include "fuzz/target.h"
#include "study/alignment.h"
#include "text/vocabulary.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    const auto gold = study::parse_pharaoh(fuzz::text_of(data, size), "gold.align:1");
    const auto again = study::parse_pharaoh(study::pharaoh(gold.sure), "written.align:1");
    expect(again.sure == gold.sure, "an alignment that is written as another");
    study::AlignmentError error;
    error.add(gold.possible, gold);
    expect(error.precision() == 1, "links that are not possible");
    study::require_inside(gold, 3, 5, "gold.align:1");
  });
  fuzz::answers([&] {
    const auto links = data::parse_links(fuzz::text_of(data, size), "train.align:1");
    const text::WordsOfPieces pieces{{0, 0, 1, 2}, {0, 0, 1, 2}, 3};
    for (const data::PieceLink& link : data::links_of_pieces(links, pieces, pieces))
      expect(link.source < 4 && link.target < 4, "links of pieces that are there");
  });
  return 0;
}
