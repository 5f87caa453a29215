/**
 * Where bytes stand in others, also where such places overlap; everywhere when there are none to find. In linear time (Knuth, Morris and Pratt): the
 * search of the platform takes the product of both lengths at worst, and both come from a model.
 */
export function* occurrencesOf(bytes: Uint8Array, wanted: Uint8Array): Generator<number> {
  if (wanted.length === 0) {
    for (let index = 0; index <= bytes.length; index += 1) yield index
    return
  }
  const borders = bordersOf(wanted)
  let matched = 0
  for (let index = 0; index < bytes.length; index += 1) {
    while (matched > 0 && bytes[index] !== wanted[matched]) matched = borders[matched - 1] ?? 0
    if (bytes[index] === wanted[matched]) matched += 1
    if (matched < wanted.length) continue
    yield index + 1 - matched
    matched = borders[matched - 1] ?? 0
  }
}

/** For every beginning of some bytes: the length of the longest shorter beginning that is also its end. */
function bordersOf(wanted: Uint8Array): Uint32Array {
  const borders = new Uint32Array(wanted.length)
  let length = 0
  for (let index = 1; index < wanted.length; index += 1) {
    while (length > 0 && wanted[index] !== wanted[length]) length = borders[length - 1] ?? 0
    if (wanted[index] === wanted[length]) length += 1
    borders[index] = length
  }
  return borders
}
