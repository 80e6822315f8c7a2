#!/bin/sh
# Stands in for sacrebleu: REFERENCES -i HYPOTHESES -m METRICS... -w 8 -tok 13a -f json. The score is the share of
# words that are right at their place: quick, and the same everywhere. While it works the file $CAMPAIGN_MARK exists.
# $CAMPAIGN_SCORER lets it be slow (a number of seconds), fail, die or answer nonsense.
references=$1 hypotheses=$3
shift 4
metrics=
while [ "$1" != -w ]; do
  metrics="$metrics $1"
  shift
done
[ -z "$CAMPAIGN_MARK" ] || : > "$CAMPAIGN_MARK"
case "$CAMPAIGN_SCORER" in
  fail) echo "the scorer has no licence" >&2; exit 3 ;;
  die) kill -9 $$ ;;
  nonsense) echo "BLEU = a lot"; exit 0 ;;
  ?*) sleep "$CAMPAIGN_SCORER" ;;
esac
score=$(awk 'NR == FNR { line[FNR] = $0; next }
  { split(line[FNR], right); for (i = 1; i <= NF; ++i) { ++all; equal += $i == right[i] } }
  END { printf "%.4f", all ? 100 * equal / all : 0 }' "$references" "$hypotheses")
comma=
printf '['
for metric in $metrics; do
  case $metric in
    bleu) name=BLEU ;;
    chrf) name=chrF2 ;;
    *) name=TER ;;
  esac
  printf '%s{"name": "%s", "score": %s, "signature": "campaign", "verbose_score": "(BP = 1.0 ratio = 1.0 hyp_len = 9 ref_len = 9)"}' \
    "$comma" "$name" "$score"
  comma=', '
done
printf ']\n'
[ -z "$CAMPAIGN_MARK" ] || rm -f "$CAMPAIGN_MARK"
