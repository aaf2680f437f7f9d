import { expect, test } from 'bun:test'
import { asciidocToMarkdown } from '../../../src/formats/asciidoc/asciidoc.ts'
import { parsePage } from '../../../src/page/parse.ts'

async function check(text: string, expected: string): Promise<void> {
  const file = { bytes: new TextEncoder().encode(text), path: 'kettle.adoc', url: 'u' }
  // Removes box marks, which test/document/box.test.ts tests.
  expect(
    (await parsePage(file)).text
      .replaceAll('\t', '')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  ).toBe(expected.replace(/\n{3,}/g, '\n\n'))
}

test('W-25: converts headings and attributes, and removes comments', async () => {
  await check(
    '= A\n:url: https://x.org\n// no\n\n== B ==\n\n{url}[x] {unknown}\n\n////\nno\n////\nc',
    '# A\n\n\n## B\n\n\n[x](https://x.org) {unknown}\n\nc',
  )
  await check('a\n\n[comment]\nb\nc\n\n.T\n[comment]\n--\nd\n--\n\ne', 'a\n\ne')
  await check('ifdef::a[]\nshown\nendif::[]', 'shown')
})

test('W-25: keeps listings unchanged and fences them with their language', async () => {
  await check(
    '.Title\n[source,java]\n----\nint x; // <1>\n*y*\n----\n<1> It *is*',
    '**Title**\n\n```java\nint x; // <1>\n*y*\n```\n\n1. It **is**',
  )
  await check(':source-language: c\n\n[source]\nint x;\n\nb', '```c\nint x;\n```\n\n\nb')
  await check('....\n= x\n....', '```\n= x\n```')
  await check('```js\n:a: b\n```', '```js\n:a: b\n```')
  await check('----\nnever closed', '```\nnever closed\n```')
})

test('converts admonitions, blocks and quotes', async () => {
  await check('NOTE: Mind `it`.', '**Note:** Mind `it`.')
  await check('[WARNING]\n====\nHot.\n\n----\nx\n----\n====', '**Warning**\n\nHot.\n\n```\nx\n```')
  await check('____\na\n\nb\n____', '> a\n>\n> b')
  await check('****\na\n****', 'a')
})

test('shows the description of a page that has only a title', async () => {
  await check('= A\n:description: pass:q[All `of` it.]\n:layout: index', '# A\n\nAll of it.')
})

test('ends a list at a paragraph or heading, also after an attached paragraph', async () => {
  await check(
    '. a\n+\nmore\n\n. b\n\nText\n\n* c\n\n== H\n\n. d\n+\nNOTE: n\n\nNext\n\n. e',
    '1. a\n\nmore\n\n2. b\n\nText\n\n- c\n\n## H\n\n1. d\n\n**Note:** n\n\nNext\n\n1. e',
  )
})

test('converts lists and definition terms', async () => {
  await check('* a\n** b\n. c\n.. d\n+\ne', '- a\n  - b\n    1. c\n       1. d\n\ne')
  await check(
    '. a\n+ \n----\nx\n----\n\n. b\n\nc\n\n. d',
    '1. a\n\n```\nx\n```\n\n2. b\n\nc\n\n1. d',
  )
  await check('- a:\n  * b\n  * c\n- d', '- a:\n  - b\n  - c\n- d')
  await check('term:: meaning\nother::\n  it', '**term**: meaning\n**other**\n  it')
})

test('takes the title from the heading, and keeps includes of missing files', async () => {
  const bytes = new TextEncoder().encode('= The *Kettle*\n\nIt heats water.\n')
  const file = { bytes, path: 'a.adoc', url: 'u' }
  expect(await parsePage(file)).toMatchObject({
    title: 'The Kettle',
    description: 'It heats water.',
    markup: 'markdown',
  })
  await check('include::gone.adoc[]', 'include::gone.adoc[]')
})

test('treats indented lines as literal only at the start of a paragraph', () => {
  const text = '. Step\n  with *more*\n\n  literal *text*\n  and *more*\n'
  expect(asciidocToMarkdown(text)).toBe(
    '1. Step\n  with **more**\n\n  literal *text*\n  and *more*\n',
  )
})

test('fills in attributes in the values of other attributes, and in listings that request it', async () => {
  await check(
    ':v: 1\n:url: x/{v}\n\n[source,sh,subs="verbatim,attributes"]\n----\nget {url} {w}\n----\n\n' +
      '----\nget {url}\n----',
    '```sh\nget x/1 {w}\n```\n\n```\nget {url}\n```',
  )
})

test('converts cells that contain blocks, roles and icons', async () => {
  const cell = [
    'a|icon:lock[title=Fixed] [[k]] [.path]##link:#k[`+++kettle.on+++`]##',
    '',
    '[.description]',
    '--',
    'Whether it is on.',
    '--',
  ]
  await check(
    `[cols="80,10"]\n|===\nh|[.head]##Name##\nh|Type\n\n${cell.join('\n')}\n|boolean\n|===`,
    '| Name | Type |\n| --- | --- |\n' +
      '| Fixed [`kettle.on`](#k)<br>Whether it is on. | boolean |',
  )
})

test('keeps an HTML passthrough, unless it is a script or a style sheet', async () => {
  await check('++++\n<b>x</b>\n++++\n\n++++\n<script>\nlet a\n</script>\n++++\ny', '<b>x</b>\n\ny')
})

test('reads macros whose words continue on the next line, roles and character references', () =>
  check(
    'Run [.cmd]`tool`, press [.ui.big]*Open*, [navy]*Red*, a[i]*b*, see xref:b.adoc#part[the other\npage] and\nmore &#8212; a&lt;b.footnote:[\nA remark.]',
    'Run `tool`, press **Open**, **Red**, a[i]**b**, see the other page and\nmore — a&lt;b. (A remark.)',
  ))

test('merges the attribute lines of a block', () =>
  check('[source,java]\n[subs="verbatim"]\n----\nint a;\n----', '```java\nint a;\n```'))

test('keeps the items of a list in a cell', () =>
  check('[cols="1,3"]\n|===\n|a\na|\n* b\n** c\n|===', '| a | - b<br>- c |\n| --- | --- |'))

test('converts a table with listings in its cells to a box for each row', () =>
  check(
    '[cols="1,1a"]\n|===\n|Option |Example\n\n|`x`\n|\n----\na | b\n----\n|`y` |None\n|===',
    '**`x`**\n\n**Example**\n\n```\na | b\n```\n\n**`y`**\n\n**Example**\n\nNone',
  ))

test('shows icons of check and cross marks as signs', () =>
  check('icon:check-circle[size=lg,role=success] icon:times[] icon:star[title=New]', '✓ ✗ New'))

test('reads tables of comma-separated values', async () => {
  const table = '| a | b |\n| --- | --- |\n| q, r \\| s | t |'
  await check('[%header,format=csv]\n|===\na,b\n"q, r | s",t\n|===', table)
  await check(',===\na,b\n"q, r | s",t\n,===', table)
})

test('labels the first cell of a row like the others if it contains blocks', async () => {
  await check(
    '[cols="1a,1a"]\n|===\n|H |I\n|* x\n* y\n|\n----\nz\n----\n|===',
    '**H**\n\n- x\n- y\n\n**I**\n\n```\nz\n```',
  )
})

test('continues the value of an attribute, and reads quotes, page breaks and index terms', async () => {
  await check(':a: one \\\ntwo\n\n{a}\n\n<<<\n\nb', 'one two\n\nb')
  await check('[quote,Who,Book]\nText.', '> Text.\n>\n> — Who, Book')
  await check('[quote,Who]\n____\nText.\n____', '> Text.\n>\n> — Who')
  await check(
    'a ((term)) b(((x,y))) indexterm:[z]latexmath:[\\pi] f((x))',
    'a term b $\\pi$ f((x))',
  )
})

test('reads tables of other formats and separators', async () => {
  await check('[format=dsv]\n|===\nA:B\nx\\:y:2\n|===', '| A | B |\n| --- | --- |\n| x:y | 2 |')
  await check(':===\nA:B\n1:2\n:===', '| A | B |\n| --- | --- |\n| 1 | 2 |')
  await check(
    '[%header,format=csv,separator=;]\n|===\nA;B\n"x;y";2\n|===',
    '| A | B |\n| --- | --- |\n| x;y | 2 |',
  )
  await check(
    '[cols="2*",separator=¦]\n|===\n¦a | b ¦c\n\n¦1 ¦2\n|===',
    '| a \\| b | c |\n| --- | --- |\n| 1 | 2 |',
  )
})

test('reads notes and nested tables in cells', async () => {
  await check(
    '|===\n|A |B\n\n|one\na|\n[NOTE.wide]\n====\nCare.\n====\n\n|two\na|\n!===\n!x !y\n\n!1 !2\n!===\n|===',
    '**one**\n\n**B**\n\n**Note**\n\nCare.\n\n**two**\n\n**B**\n\n| x | y |\n| --- | --- |\n| 1 | 2 |',
  )
  await check('[cols="a"]\n|===\n|\n[TIP]\n====\nOnly\n====\n|===', '**Tip**\n\nOnly')
})

test('keeps the targets and titles of videos, sounds and pictures', async () => {
  await check(
    'video::a/clip.mp4[width=6]\n\nvideo::rPQ_7[youtube,title="Tour"]\n\naudio::x.wav[]\n\n' +
      'image::a.png[Alt,title="The lid"] image:b.png[B,title="tip"]',
    '[clip.mp4](a/clip.mp4)\n\n[Tour](https://www.youtube.com/watch?v=rPQ_7)\n\n[x.wav](x.wav)\n\n' +
      '![Alt](a.png) The lid ![B](b.png)',
  )
})
