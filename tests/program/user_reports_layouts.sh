# Reports about 64-bit layouts, other languages, byte order and lengths (reference/user_reports.md A2), each with its right answer.
#
# Covered: R18 R19 R20 R21 R22 R23 R24 R25 R26 R27 R29 R30.
. "$(dirname "$0")/common.sh"

u32='AggregateFunction(groupBitmap, UInt32)'
u64='AggregateFunction(groupBitmap, UInt64)'

seq 1600000000000000000 1000003 1600000200000000000 | head -n 200000 >timestamps.tsv
"$statewire" aggregate -S 't UInt64' --aggregates 'groupBitmap(t) AS s' -o timestamps.native timestamps.tsv
same 'R18: as many as there are' "$(sort -u timestamps.tsv | wc -l | tr -d ' ')" "$("$statewire" query -q 'bitmapCardinality(s)' timestamps.native)"

# R19: 37 ids between the smallest and the largest of the report.
{ seq 692667488831276503 86694149517776 695788478213916438; echo 695788478213916450; } >ids.txt
same 'R19: 37 ids' 37 "$(wc -l <ids.txt | tr -d ' ')"
"$statewire" aggregate -S 'id UInt64' --aggregates 'groupBitmap(id) AS s' --input-format TSV -o ids.native ids.txt
same 'R19: large ids come back whole' "$(cat ids.txt)" "$("$statewire" query -q s -f RowBinary ids.native | "$statewire" inspect --type "$u64" --file - --values)"

# R20: 32 values, and one more by merging.
seq 5000000000 5000000031 | "$statewire" aggregate -S 'v UInt64' --aggregates 'groupBitmap(v) AS s' -o first.native -
echo 5000000032 | "$statewire" aggregate -S 'v UInt64' --aggregates 'groupBitmap(v) AS s' -o second.native -
"$statewire" merge first.native second.native -o both.native
same 'R20: promotion keeps all 64 bits' "$(seq 5000000000 5000000032)" \
    "$("$statewire" query -q s -f RowBinary both.native | "$statewire" inspect --type "$u64" --file - --values)"

run33=3B3000000100002000010001002000
java="000000000100000000$run33"
refuses 'R21: the legacy layout of Java is not the portable one' 117 'Java' inspect --type RoaringPortable64 --hex $java
same 'R21: and is converted on request' "010000000000000000000000$run33" \
    "$(printf '%s' $java | "$statewire" convert --from RoaringJavaLegacy64 --to RoaringPortable64 --input-encoding hex --output-encoding hex)"
refuses 'R22: the 64-bit layout without its count' 117 'INCORRECT_DATA' inspect --type "$u64" --hex "011300000000$run33"

# R23: what is announced is what is written.
for last in 0 31 32 33 4095 4096 65535 65536 200000
do
    seq 0 3 $last | "$statewire" convert --from IntegerList --to "$u64" -o sized.state -
    same "R23: sizes of {0, 3, .., $last}" "$(wc -c <sized.state | tr -d ' ')" \
        "$("$statewire" inspect --type "$u64" --file sized.state --json | sed 's/.*"consumed":\([0-9]*\).*/\1/')"
done
same 'R24: little-endian everywhere' 0001FFFEFDFCFBFAF9F8 "$(echo 17940646550795321087 | "$statewire" convert --from IntegerList --to "$u64" --output-encoding hex)"

refuses 'R25: a length that never ends' 117 '' inspect --type "$u32" --hex 0180808080808080808080
refuses 'R25: a length that is cut' 32 '' inspect --type "$u32" --hex 01808080808080808080
refuses 'R25: 2^31 - 1 is a length' 33 '2147483647' inspect --type "$u32" --hex 01ffffffff07
refuses 'R25: and so is 2^31' 33 '2147483648' inspect --type "$u32" --hex 018080808008

same 'R26: a set of Doris' '1
3
5' "$(printf 'BQMBAAAAAAAAAAMAAAAAAAAABQAAAAAAAAA=\n' | "$statewire" convert --from DorisBitmapValue --to IntegerList --input-encoding base64)"

# R27: an array that would be rewritten as a run, and another row behind it.
{
    printf '\001\122\072\060\000\000\001\000\000\000\000\000\040\000\020\000\000\000'
    for i in $(seq 1 33); do printf "\\$(printf '%03o' "$i")\\000"; done
    printf '\000\001\007\000\000\000'
} >array.RowBinary
prints 'R27: as many bytes as it has, not as a rewrite would' '33	[1,2,3,7]
1	[7]' query -S "s $u32" -q 'bitmapCardinality(s), bitmapToArray(bitmapAnd(s, bitmapBuild([1, 2, 3, 7, 70000])))' array.RowBinary

# R29, R30: the image of update(7, 2) from DataSketches, whatever built this program; other row seeds are another type.
image=02011200000000000300000001CC930002000000000000000000000000000000
image=${image}02000000000000000000000000000000
printf '7\n7\n' | "$statewire" aggregate -S 'k UInt64' --aggregates 'countMinSketch(1, 3)(k) AS c' -o sketch.native -
same 'R29: the bytes of DataSketches' $image "$("$statewire" query -q c -f RowBinary sketch.native |
    "$statewire" convert --from 'AggregateFunction(countMinSketch(1, 3), UInt64)' --to 'CountMinImage(UInt64)' --output-encoding hex -)"
contains 'R29: and its estimates' '"estimate":"2"' "$("$statewire" inspect --type 'CountMinImage(UInt64)' --hex $image --json --estimate u64:7)"
refuses 'R29: row seeds do not mix' 53 'TYPE_MISMATCH' merge -S "c AggregateFunction(countMinSketch(1, 3, 9001, 'libcxx'), UInt64)" sketch.native
printf 'word\n' | "$statewire" aggregate -S 'w String' --aggregates 'countMinSketch(3, 5)(w) AS c' -o word.native -
same 'R30: a named hash puts a word into the same cells on every toolchain' 02011200000000000500000003CC930001000100000000010000000100000000 \
    "$("$statewire" query -q c -f RowBinary word.native |
    "$statewire" convert --from 'AggregateFunction(countMinSketch(3, 5), String)' --to 'CountMinImage(UInt8)' --output-encoding hex -)"

finish
