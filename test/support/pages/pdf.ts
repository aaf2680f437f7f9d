/** A line of text at a point of a page; `font` is F1 (Helvetica) or F2 (Courier). */
export type PdfText = { text: string; x?: number; y: number; size?: number; font?: 'F1' | 'F2' }

/** A PDF file with these pages; `outline` lists titles with the page that they point to. */
export function pdfOf(
  pages: PdfText[][],
  { outline = [], title }: { outline?: [string, number][]; title?: string } = {},
): Uint8Array {
  const kids = pages.map((_, i) => `${10 + 2 * i} 0 R`).join(' ')
  const firstEntry = 10 + 2 * pages.length
  const entries = outline.map(([name, page], i) => {
    const next = i + 1 < outline.length ? ` /Next ${firstEntry + i + 1} 0 R` : ''
    const dest = `/Dest [${10 + 2 * page} 0 R /Fit]`
    return [firstEntry + i, `<< /Title (${escaped(name)}) /Parent 6 0 R ${dest}${next} >>`] as const
  })
  return pdfOfObjects([
    [1, '<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>'],
    [2, `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`],
    [3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
    [4, '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>'],
    [5, title === undefined ? '<< >>' : `<< /Title (${escaped(title)}) >>`],
    [6, outline.length > 0 ? `<< /First ${firstEntry} 0 R /Count ${outline.length} >>` : '<< >>'],
    ...pages.flatMap((lines, i) => pageObjects(10 + 2 * i, lines)),
    ...entries,
  ])
}

/** A PDF file of objects by their number; object 1 is the catalog and 5 the metadata. */
export function pdfOfObjects(objects: (readonly [number, string])[], trailer = ''): Uint8Array {
  const body = objects.map(([number, text]) => `${number} 0 obj\n${text}\nendobj\n`).join('')
  return Buffer.from(
    `%PDF-1.7\n${body}trailer\n<< /Root 1 0 R /Info 5 0 R ${trailer} >>\n%%EOF\n`,
    'latin1',
  )
}

function pageObjects(number: number, lines: PdfText[]): [number, string][] {
  const content = lines
    .map(({ text, x = 50, y, size = 10, font = 'F1' }) => {
      return `BT /${font} ${size} Tf ${x} ${800 - y} Td (${escaped(text)}) Tj ET`
    })
    .join('\n')
  const resources = '/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >>'
  const page = `/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${resources}`
  return [
    [number, `<< ${page} /Contents ${number + 1} 0 R >>`],
    [number + 1, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`],
  ]
}

function escaped(text: string): string {
  return text.replace(/[\\()]/g, '\\$&')
}
