import { expect, test } from 'bun:test'
import { zipSync } from 'fflate'
import { parseDocx } from '../../../src/formats/office/docx.ts'
import { epubPages } from '../../../src/formats/office/epub.ts'
import { openZipped } from '../../../src/formats/office/zipped.ts'
import { parsePages } from '../../../src/page/parse.ts'
import { teaEpub, zipped } from '../../support/pages/epub.ts'

test('reads the chapters of an EPUB in their order', async () => {
  const pages = await parsePages({ bytes: teaEpub, path: 'tea.epub', url: 'x:/tea.epub' })
  expect(pages.map(({ title, url, language }) => [title, url, language])).toEqual([
    ['Tea & Cups', 'x:/tea.epub', 'en'],
    ['Boiling', 'x:/tea.epub#a%2520b.xhtml', 'en'],
  ])
  expect(pages[1]?.text).toBe('## Boiling\n\nHeat it.\n')
  await expect(epubPages(zipped({ a: 'b' }), 'x.epub')).rejects.toThrow(
    'an EPUB without its list of chapters',
  )
})

const paragraph = (text: string, style = '', more = '') =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/>${more}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`

test('reads headings, lists, tables, links and code of a docx', async () => {
  const body = [
    paragraph('Kettle', 'T'),
    paragraph('Boil', 'H1'),
    paragraph('one', '', '<w:numPr><w:ilvl w:val="1"/></w:numPr>'),
    '<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Hot</w:t></w:r><w:r><w:t xml:space="preserve"> and </w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>here</w:t></w:r></w:hyperlink><w:del><w:r><w:t>gone</w:t></w:r></w:del></w:p>',
    paragraph('boil -t 90', 'Code'),
    paragraph('tea', 'Code'),
    `<w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc><w:tc>${paragraph('b|')}</w:tc></w:tr><w:tr><w:tc>${paragraph('1')}</w:tc><w:tc>${paragraph('2')}</w:tc></w:tr></w:tbl>`,
  ].join('')
  const bytes = zipped({
    'word/document.xml': `<w:document xmlns:w="w" xmlns:r="r"><w:body>${body}</w:body></w:document>`,
    'word/styles.xml':
      '<w:styles><w:style w:styleId="T"><w:name w:val="Title"/></w:style><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Code"><w:name w:val="Source Code"/></w:style></w:styles>',
    'word/_rels/document.xml.rels':
      '<Relationships><Relationship Id="r1" Target="https://x.y"/></Relationships>',
  })
  const { title, text } = await parseDocx(bytes, 'a.docx')
  expect(title).toBe('Kettle')
  expect(text.replace(/\n{2,}/g, '\n')).toBe(`# Kettle
# Boil
  - one
**Hot** and [here](https://x.y)
\`\`\`
boil -t 90
tea
\`\`\`
| a | b\\| |
| --- | --- |
| 1 | 2 |
`)
})

test('rejects a file that is not a ZIP archive, and an entry that is too large', async () => {
  expect(() => openZipped(Buffer.from('text'), 'a.docx')).toThrow('it is not a ZIP archive')
  const bomb = zipSync({ 'word/document.xml': new Uint8Array(20 * 2 ** 20) })
  await expect(parseDocx(bomb, 'a.docx')).rejects.toThrow('it unpacks to over 64 MB')
  const damaged = zipped({ 'word/document.xml': '<w:p><w:t>x</w:p>' })
  await expect(parseDocx(damaged, 'a.docx')).rejects.toThrow('its XML is damaged')
})
