;; The inner loops of `block-sums.ts` and `clustered-decks.ts`. In JavaScript they take 2.5 times as long: here, one instruction adds two sums, bounds
;; are not checked, and there is no warm-up. `npm run check -- --write` assembles this file into `permutation-kernel-code.ts`.
;;
;; Memory: the stream's state is at 0, the tables are at 16, and the caller lays out the rest from 16400 on. A pair is two 64-bit floats. Parameters
;; are addresses, except $or, $mask, $stride, $count, $surplus, $dealt and floats. An `…End` is the address after the last element. Every loop runs at
;; least once, so lists must not be empty.
(module
  (memory (export "memory") 1)

  ;; Returns a word of the stream and the next state, as `drawWord` in `random.ts` does.
  (func $step (param $s0 i32) (param $s1 i32) (param $s2 i32) (param $s3 i32) (result i32 i32 i32 i32 i32)
    (local.set $s2 (i32.xor (local.get $s2) (local.get $s0)))
    (local.set $s3 (i32.xor (local.get $s3) (local.get $s1)))
    (i32.mul (i32.rotl (i32.mul (local.get $s1) (i32.const 5)) (i32.const 7)) (i32.const 9))
    (i32.xor (local.get $s0) (local.get $s3))
    (i32.xor (local.get $s1) (local.get $s2))
    (i32.xor (local.get $s2) (i32.shl (local.get $s1) (i32.const 9)))
    (i32.rotl (local.get $s3) (i32.const 11)))

  ;; Whether a number below $count, in the upper half of the product of a word and $count, would be favored.
  (func $isRefused (param $product i64) (param $count i32) (result i32)
    (if (result i32) (i32.ge_u (i32.wrap_i64 (local.get $product)) (local.get $count))
      (then (i32.const 0))
      (else
        (i32.lt_u
          (i32.wrap_i64 (local.get $product))
          (i32.rem_u (i32.sub (i32.const 0) (local.get $count)) (local.get $count))))))

  (func $keepState (param $s0 i32) (param $s1 i32) (param $s2 i32) (param $s3 i32)
    (i32.store offset=0 (i32.const 0) (local.get $s0))
    (i32.store offset=4 (i32.const 0) (local.get $s1))
    (i32.store offset=8 (i32.const 0) (local.get $s2))
    (i32.store offset=12 (i32.const 0) (local.get $s3)))

  ;; Draws a word of the stream for each word, and ORs it if $or is -1, or ANDs it if $or is 0.
  (func (export "draw") (param $word i32) (param $wordEnd i32) (param $or i32)
    (local $s0 i32) (local $s1 i32) (local $s2 i32) (local $s3 i32) (local $drawn i32)
    (local.set $s0 (i32.load offset=0 (i32.const 0)))
    (local.set $s1 (i32.load offset=4 (i32.const 0)))
    (local.set $s2 (i32.load offset=8 (i32.const 0)))
    (local.set $s3 (i32.load offset=12 (i32.const 0)))
    (loop $next
      (call $step (local.get $s0) (local.get $s1) (local.get $s2) (local.get $s3))
      (local.set $s3) (local.set $s2) (local.set $s1) (local.set $s0) (local.set $drawn)
      (i32.store
        (local.get $word)
        (i32.or
          (i32.and (i32.load (local.get $word)) (i32.or (local.get $drawn) (local.get $or)))
          (i32.and (local.get $drawn) (local.get $or))))
      (local.set $word (i32.add (local.get $word) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $word) (local.get $wordEnd))))
    (call $keepState (local.get $s0) (local.get $s1) (local.get $s2) (local.get $s3)))

  ;; Makes the four tables of a block of 32 scores. Each contains the pairs of all 256 subsets of 8 scores.
  (func (export "tabulate") (param $score i32)
    (local $table i32) (local $subset i32) (local $half i32) (local $halfEnd i32) (local $value f64) (local $pair v128)
    (local.set $table (i32.const 16))
    (loop $nextTable
      (v128.store (local.get $table) (v128.const f64x2 0 0))
      (local.set $half (i32.const 16))
      (loop $nextScore
        (local.set $value (f64.load (local.get $score)))
        (local.set $pair
          (f64x2.replace_lane 1 (f64x2.splat (local.get $value)) (f64.mul (local.get $value) (local.get $value))))
        ;; A subset with this score is a subset without it, which is in the table already, plus the score.
        (local.set $subset (local.get $table))
        (local.set $halfEnd (i32.add (local.get $table) (local.get $half)))
        (loop $nextSubset
          (v128.store
            (i32.add (local.get $subset) (local.get $half))
            (f64x2.add (v128.load (local.get $subset)) (local.get $pair)))
          (local.set $subset (i32.add (local.get $subset) (i32.const 16)))
          (br_if $nextSubset (i32.lt_u (local.get $subset) (local.get $halfEnd))))
        (local.set $score (i32.add (local.get $score) (i32.const 8)))
        (local.set $half (i32.shl (local.get $half) (i32.const 1)))
        (br_if $nextScore (i32.lt_u (local.get $half) (i32.const 4096))))
      (local.set $table (i32.add (local.get $table) (i32.const 4096)))
      (br_if $nextTable (i32.lt_u (local.get $table) (i32.const 16400)))))

  ;; Adds a block to the pairs and sizes of all relabelings. The bits of a relabeling's word show which of the block's scores are in its subset. Bits
  ;; outside the mask are cleared.
  (func (export "add") (param $word i32) (param $wordEnd i32) (param $mask i32) (param $pair i32) (param $size i32)
    (local $members i32)
    (loop $next
      (local.set $members (i32.and (i32.load (local.get $word)) (local.get $mask)))
      (i32.store (local.get $word) (local.get $members))
      (v128.store (local.get $pair)
        (f64x2.add
          (v128.load (local.get $pair))
          (f64x2.add
            (f64x2.add
              (v128.load offset=16 (i32.and (i32.shl (local.get $members) (i32.const 4)) (i32.const 4080)))
              (v128.load offset=4112 (i32.and (i32.shr_u (local.get $members) (i32.const 4)) (i32.const 4080))))
            (f64x2.add
              (v128.load offset=8208 (i32.and (i32.shr_u (local.get $members) (i32.const 12)) (i32.const 4080)))
              (v128.load offset=12304 (i32.and (i32.shr_u (local.get $members) (i32.const 20)) (i32.const 4080)))))))
      (i32.store (local.get $size) (i32.add (i32.load (local.get $size)) (i32.popcnt (local.get $members))))
      (local.set $pair (i32.add (local.get $pair) (i32.const 16)))
      (local.set $size (i32.add (local.get $size) (i32.const 4)))
      (local.set $word (i32.add (local.get $word) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $word) (local.get $wordEnd)))))

  ;; Removes randomly drawn scores from the subset of a relabeling, or adds them, until its surplus is 0. The surplus must not be 0 at first. `$word` is
  ;; the word of its first block; the next ones are `$stride` bytes apart. `$count` is the number of scores.
  (func (export "repair")
    (param $word i32) (param $stride i32) (param $score i32) (param $count i32) (param $pair i32) (param $surplus i32)
    (local $s0 i32) (local $s1 i32) (local $s2 i32) (local $s3 i32) (local $drawn i32)
    (local $product i64) (local $drawnScore i32) (local $at i32) (local $bit i32) (local $members i32)
    (local $change i32) (local $step i32) (local $value f64) (local $sums v128)
    (local.set $s0 (i32.load offset=0 (i32.const 0)))
    (local.set $s1 (i32.load offset=4 (i32.const 0)))
    (local.set $s2 (i32.load offset=8 (i32.const 0)))
    (local.set $s3 (i32.load offset=12 (i32.const 0)))
    (local.set $sums (v128.load (local.get $pair)))
    (local.set $change (select (i32.const -1) (i32.const 1) (i32.gt_s (local.get $surplus) (i32.const 0))))
    (loop $next
      (call $step (local.get $s0) (local.get $s1) (local.get $s2) (local.get $s3))
      (local.set $s3) (local.set $s2) (local.set $s1) (local.set $s0) (local.set $drawn)
      ;; The same as `$below`.
      (local.set $product (i64.mul (i64.extend_i32_u (local.get $drawn)) (i64.extend_i32_u (local.get $count))))
      (br_if $next (call $isRefused (local.get $product) (local.get $count)))
      (local.set $drawnScore (i32.wrap_i64 (i64.shr_u (local.get $product) (i64.const 32))))
      (local.set $at
        (i32.add (local.get $word) (i32.mul (i32.shr_u (local.get $drawnScore) (i32.const 5)) (local.get $stride))))
      ;; A shift uses the lowest five bits of its count.
      (local.set $bit (i32.shl (i32.const 1) (local.get $drawnScore)))
      (local.set $members (i32.load (local.get $at)))
      ;; 0 if the score need not move. Avoids a branch, which would be mispredicted half of the time.
      (local.set $step
        (select
          (i32.const 0)
          (local.get $change)
          (i32.eq
            (i32.eqz (i32.and (local.get $members) (local.get $bit)))
            (i32.lt_s (local.get $change) (i32.const 0)))))
      (i32.store
        (local.get $at)
        (i32.xor (local.get $members) (select (local.get $bit) (i32.const 0) (local.get $step))))
      (local.set $value (f64.load (i32.add (local.get $score) (i32.shl (local.get $drawnScore) (i32.const 3)))))
      (local.set $sums
        (f64x2.add
          (local.get $sums)
          (f64x2.mul
            (f64x2.splat (f64.convert_i32_s (local.get $step)))
            (f64x2.replace_lane 1 (f64x2.splat (local.get $value)) (f64.mul (local.get $value) (local.get $value))))))
      (local.set $surplus (i32.add (local.get $surplus) (local.get $step)))
      (br_if $next (local.get $surplus)))
    (v128.store (local.get $pair) (local.get $sums))
    (call $keepState (local.get $s0) (local.get $s1) (local.get $s2) (local.get $s3)))

  ;; Converts a word of the stream to a number below $count without bias (Lemire 2019).
  (func $below (param $drawn i32) (param $count i32) (result i32)
    (local $product i64)
    (local $s0 i32) (local $s1 i32) (local $s2 i32) (local $s3 i32)
    (loop $again (result i32)
      (local.set $product (i64.mul (i64.extend_i32_u (local.get $drawn)) (i64.extend_i32_u (local.get $count))))
      (if (call $isRefused (local.get $product) (local.get $count))
        (then
          (call $step
            (i32.load offset=0 (i32.const 0))
            (i32.load offset=4 (i32.const 0))
            (i32.load offset=8 (i32.const 0))
            (i32.load offset=12 (i32.const 0)))
          (local.set $s3) (local.set $s2) (local.set $s1) (local.set $s0) (local.set $drawn)
          (call $keepState (local.get $s0) (local.get $s1) (local.get $s2) (local.get $s3))
          (br $again)))
      (i32.wrap_i64 (i64.shr_u (local.get $product) (i64.const 32)))))

  ;; Deals $dealt of $count cards of 16 bytes to the front, with one word of the stream per card (Durstenfeld 1964).
  (func (export "deal") (param $card i32) (param $count i32) (param $word i32) (param $dealt i32)
    (local $other i32) (local $own v128)
    (loop $next
      (local.set $other
        (i32.add
          (local.get $card)
          (i32.shl (call $below (i32.load (local.get $word)) (local.get $count)) (i32.const 4))))
      (local.set $own (v128.load (local.get $card)))
      (v128.store (local.get $card) (v128.load (local.get $other)))
      (v128.store (local.get $other) (local.get $own))
      (local.set $card (i32.add (local.get $card) (i32.const 16)))
      (local.set $word (i32.add (local.get $word) (i32.const 4)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (local.set $dealt (i32.sub (local.get $dealt) (i32.const 1)))
      (br_if $next (local.get $dealt))))

  ;; Sums cards that are pairs.
  (func (export "sumPairs") (param $card i32) (param $cardEnd i32) (param $pair i32)
    (local $sum v128)
    (loop $next
      (local.set $sum (f64x2.add (local.get $sum) (v128.load (local.get $card))))
      (local.set $card (i32.add (local.get $card) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $card) (local.get $cardEnd))))
    (v128.store (local.get $pair) (local.get $sum)))

  ;; Sums the scores of cards, each a score and the address of its user's pair: adds the score to the pair's first float, and 1 to its second.
  (func (export "collect") (param $card i32) (param $cardEnd i32) (result f64)
    (local $sum f64) (local $score f64) (local $pair i32)
    (loop $next
      (local.set $score (f64.load (local.get $card)))
      (local.set $pair (i32.load offset=8 (local.get $card)))
      (local.set $sum (f64.add (local.get $sum) (local.get $score)))
      (v128.store
        (local.get $pair)
        (f64x2.add (v128.load (local.get $pair)) (f64x2.replace_lane 0 (v128.const f64x2 1 1) (local.get $score))))
      (local.set $card (i32.add (local.get $card) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $card) (local.get $cardEnd))))
    (local.get $sum))

  ;; Adds each user's contribution to the difference of two means, $mean and $otherMean, to the users' shifts, and clears the pairs. A user's pair has
  ;; the sum and the number of the user's units in one arm; $both has them for both arms. Weights are looked up by that number.
  (func (export "shift")
    (param $pair i32) (param $pairEnd i32) (param $both i32) (param $shift i32)
    (param $weights i32) (param $otherWeights i32) (param $mean f64) (param $otherMean f64) (param $scale f64)
    (local $size f64) (local $rest f64)
    (loop $next
      (local.set $size (f64.load offset=8 (local.get $pair)))
      (local.set $rest (f64.sub (f64.load offset=8 (local.get $both)) (local.get $size)))
      (f64.store
        (local.get $shift)
        (f64.add
          (f64.load (local.get $shift))
          (f64.mul
            (local.get $scale)
            (f64.sub
              (f64.mul
                (f64.sub (f64.load (local.get $pair)) (f64.mul (local.get $size) (local.get $mean)))
                (f64.load
                  (i32.add (local.get $weights) (i32.shl (i32.trunc_sat_f64_u (local.get $size)) (i32.const 3)))))
              (f64.mul
                (f64.sub
                  (f64.sub (f64.load (local.get $both)) (f64.load (local.get $pair)))
                  (f64.mul (local.get $rest) (local.get $otherMean)))
                (f64.load
                  (i32.add (local.get $otherWeights) (i32.shl (i32.trunc_sat_f64_u (local.get $rest)) (i32.const 3)))))))))
      (v128.store (local.get $pair) (v128.const f64x2 0 0))
      (local.set $both (i32.add (local.get $both) (i32.const 16)))
      (local.set $shift (i32.add (local.get $shift) (i32.const 8)))
      (local.set $pair (i32.add (local.get $pair) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $pair) (local.get $pairEnd)))))

  ;; Sums the squares of the shifts and clears them.
  (func (export "squareShifts") (param $shift i32) (param $shiftEnd i32) (result f64)
    (local $sum f64) (local $value f64)
    (loop $next
      (local.set $value (f64.load (local.get $shift)))
      (local.set $sum (f64.add (local.get $sum) (f64.mul (local.get $value) (local.get $value))))
      (f64.store (local.get $shift) (f64.const 0))
      (local.set $shift (i32.add (local.get $shift) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $shift) (local.get $shiftEnd))))
    (local.get $sum)))
