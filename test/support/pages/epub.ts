import { zipSync, strToU8 } from 'fflate'

/** A ZIP archive of texts by their path. */
export const zipped = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))

/** An EPUB with one chapter that has text. */
export const teaEpub = zipped({
  'META-INF/container.xml':
    '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
  'OPS/book.opf': `<package><metadata><dc:title>Tea &amp; Cups</dc:title><dc:language>en</dc:language>
    </metadata><manifest><item id="n" href="nav.xhtml" properties="nav"/>
    <item id="a" href="a%20b.xhtml"/>
    <item id="c" href="c.xhtml"/></manifest>
    <spine><itemref idref="n"/><itemref idref="a"/><itemref idref="c"/></spine></package>`,
  'OPS/nav.xhtml': '<html><body><h1>Contents</h1></body></html>',
  'OPS/a b.xhtml':
    '<?xml version="1.0"?><html><head><title>t</title></head><body><h2>Boiling</h2><p>Heat it.</p></body></html>',
  'OPS/c.xhtml': '<html><body><p></p></body></html>',
})
