/** Takes text in pieces and gives whole lines, ended by LF, CR or CRLF, also where a piece ends between the two. Linear in the text. */
export interface LineReader {
  push(text: string): void
  /** Gives what stands behind the last line end, if anything does. */
  end(): void
}

/** Makes a reader. `maxLength` bounds a line, in UTF-16 units; past it `onTooLong` is called, which must throw. */
export function createLineReader(onLine: (line: string) => void, maxLength: number, onTooLong: () => never): LineReader {
  let pieces: string[] = []
  let length = 0
  let endedByReturn = false

  const keep = (piece: string): void => {
    length += piece.length
    if (length > maxLength) onTooLong()
    pieces.push(piece)
  }
  const flush = (): void => {
    const line = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('')
    pieces = []
    length = 0
    onLine(line)
  }
  return {
    push(text) {
      let start = endedByReturn && text.startsWith('\n') ? 1 : 0
      if (text !== '') endedByReturn = false
      for (let at = nextBreak(text, start); at >= 0; at = nextBreak(text, start)) {
        keep(text.slice(start, at))
        flush()
        const isPair = text[at] === '\r' && text[at + 1] === '\n'
        endedByReturn = text[at] === '\r' && at + 1 === text.length
        start = at + (isPair ? 2 : 1)
      }
      if (start < text.length) keep(text.slice(start))
    },
    end() {
      if (length > 0) flush()
    }
  }
}

const BREAK = /[\r\n]/g

function nextBreak(text: string, start: number): number {
  BREAK.lastIndex = start
  return BREAK.exec(text)?.index ?? -1
}
