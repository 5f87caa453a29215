/** The candidates that are nearest to a word, best first: what somebody may have meant. */
export function nearest(word: string, candidates: Iterable<string>, count = 1): readonly string[] {
  const wanted = fold(word)
  if (wanted === '' || wanted.length > 100) return []
  const bound = Math.max(1, Math.floor(wanted.length / 3))
  const scored: { readonly candidate: string; readonly score: number }[] = []
  for (const candidate of candidates) {
    const folded = fold(candidate)
    const score = distance(wanted, folded.slice(0, 100))
    if (score <= bound) scored.push({ candidate, score })
    else if (wanted.length > 2 && (folded.includes(wanted) || (folded.length > 2 && wanted.includes(folded))))
      scored.push({ candidate, score: bound + 1 })
  }
  return scored
    .toSorted((a, b) => a.score - b.score)
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[-_\s]/g, '')
}

/** How many letters are to be added, left out, replaced or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = above
    above = row
  }
  return above[b.length] ?? 0
}
