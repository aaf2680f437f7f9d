import { expect, test } from 'bun:test'
import { limitDepth } from '../../../src/formats/html/html-depth.ts'

const check = (source: string, expected: string) => expect(limitDepth(source)).toBe(expected)
const same = (source: string) => check(source, source)

test('keeps HTML that nests no deeper than real pages', () => {
  same('<div>'.repeat(500) + 'a')
  same('<p>a '.repeat(1000))
  same('<ul>' + '<li>a'.repeat(1000))
  same('<dl>' + '<dt>a<dd>b'.repeat(1000))
  same('<table>' + '<tr><td>a<td>b'.repeat(1000))
  same('<b>a</b>'.repeat(1000))
  same('<br>'.repeat(1000) + '<img src="a>b">'.repeat(1000))
  same('<math>' + '<mspace/>'.repeat(1000) + '</math>')
  same('<!-- <i> -->'.repeat(1000) + '<title>' + '<i>'.repeat(1000) + '</title>')
  same('</i>'.repeat(1000) + '<p title="' + '<i>'.repeat(1000) + '">')
})

test('removes the tags of deeper elements and keeps their text', () => {
  const deep = '<div>'.repeat(500)
  check(`${deep}<b>a</b>c</div>d`, `${deep}ac</div>d`)
  check(`${deep}<i><b title='>'>a</i>c<br>`, `${deep}ac<br>`)
  check(`${deep}<b></div><b>a</b>`, `${deep}</div><b>a</b>`)
  check(`${deep}<p>a<p>b</x>`, `${deep}ab</x>`)
})

test('lets the parser close unclosed markup', () => {
  for (const end of ['<!-- a', '<p title="', '<a ', '</a', '<', '<!', '<?x', '<title>']) same(end)
})
