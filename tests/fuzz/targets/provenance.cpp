// provenance.json of a run.
#include "fuzz/target.h"
#include "run/summary.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    const fuzz::InputFile file(fuzz::text_of(data, size));
    const run::Provenance provenance = run::Provenance::read(file.path());
    run::changed_corpora(provenance.corpora, provenance.corpora);
    const std::string text = provenance.to_json();
    const fuzz::InputFile written(text);
    expect(run::Provenance::read(written.path()).to_json() == text, "a record written as another");
  });
  return 0;
}
