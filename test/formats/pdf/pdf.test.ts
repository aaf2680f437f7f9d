import { expect, test } from 'bun:test'
import { parsePdf } from '../../../src/formats/pdf/pdf.ts'
import { parsePage } from '../../../src/page/parse.ts'
import { pdfOf, pdfOfObjects } from '../../support/pages/pdf.ts'

const long = 'Water for green tea is heated to eighty degrees, not more, because boiling water'

const guide = pdfOf([
  [
    { text: 'The Tea Guide', y: 60, size: 24 },
    { text: 'Brewing', y: 100, size: 16 },
    { text: long, y: 120 },
    { text: 'makes it bitter.', y: 132 },
    { text: 'Run this:', y: 156 },
    { text: 'brew --leaf green', y: 176, font: 'F2' },
    { text: 'then', y: 188, x: 62, font: 'F2' },
    { text: '- one', y: 210 },
    { text: '- two', y: 222 },
  ],
  [
    { text: 'Serving', y: 60, size: 16 },
    { text: 'Cup', y: 90 },
    { text: 'Size', y: 90, x: 300 },
    { text: 'small', y: 102 },
    { text: '150 ml', y: 102, x: 300 },
    { text: long, y: 130 },
  ],
])

test('reads headings by font size, paragraphs, code, lists and tables', async () => {
  const { title, text } = await parsePdf(guide, 'tea.pdf')
  expect(title).toBe('The Tea Guide')
  expect(text).toBe(`# The Tea Guide

## Brewing

${long} makes it bitter.

Run this:

\`\`\`
brew --leaf green
  then
\`\`\`

- one
- two

## Serving

| Cup | Size |
| --- | --- |
| small | 150 ml |

${long}
`)
})

test('takes headings from the outline, and the title from the metadata', async () => {
  const lines = (name: string) => [
    { text: name, y: 60 },
    { text: long, y: 90 },
  ]
  const outline: [string, number][] = [
    ['Intro', 0],
    ['Brewing', 1],
    ['Not written there', 2],
  ]
  const bytes = pdfOf([lines('1 Intro'), lines('2. Brewing'), lines('More')], {
    outline,
    title: 'Tea',
  })
  const page = await parsePage({ bytes, path: 'a.pdf', url: 'x:/a.pdf' })
  expect(page.title).toBe('Tea')
  expect(page.text.match(/^#.*/gm)).toEqual(['# 1 Intro', '# 2. Brewing', '# Not written there'])
})

test('removes page numbers, running headers and entries of a table of contents', async () => {
  const pages = [1, 2, 3, 4].map((number) => [
    { text: 'The Tea Guide', y: 30 },
    { text: `Chapter ${number} . . . . . . . . . . . . 7`, y: 100 },
    { text: `${long} ${number}.`, y: 150 },
    { text: String(number), y: 780 },
  ])
  const { text } = await parsePdf(pdfOf(pages), 'a.pdf')
  expect(text).toBe(`${[1, 2, 3, 4].map((number) => `${long} ${number}.`).join('\n\n')}\n`)
})

const catalog = [1, '<< /Type /Catalog /Pages 2 0 R >>'] as const
const key = '/Filter /Standard /V 1 /R 2 /P -4'
const hash = `(${'a'.repeat(32)})`

test.each([
  ['no PDF', Buffer.from('hello'), 'not a PDF file'],
  ['a truncated file', guide.slice(0, 300), 'the PDF is damaged'],
  ['a scan', pdfOf([[]]), 'a PDF without text, such as a scan'],
  [
    'a cycle of pages',
    pdfOfObjects([catalog, [2, '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']]),
    'page 1: the PDF is damaged',
  ],
  [
    'an encrypted file',
    pdfOfObjects(
      [
        catalog,
        [2, '<< /Type /Pages /Kids [] /Count 1 >>'],
        [9, `<< ${key} /O ${hash} /U ${hash} >>`],
      ],
      `/Encrypt 9 0 R /ID [${hash} ${hash}]`,
    ),
    'the PDF is encrypted with a password',
  ],
  [
    'too many pages',
    pdfOf(Array.from({ length: 2001 }, () => [])),
    'it has 2001 pages, the limit is 2000',
  ],
])('rejects %s with one line', async (_, bytes, reason) => {
  const error = await parsePdf(bytes, 'a.pdf').catch((thrown: Error) => thrown)
  expect(error).toBeInstanceOf(Error)
  expect((error as Error).message).toStartWith(`Cannot read page "a.pdf": ${reason}`)
  expect((error as Error).message).not.toContain('\n')
})
