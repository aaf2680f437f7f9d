import { expect, test } from 'bun:test'
import { parseHtml } from '../../../src/formats/html/html.ts'
import { headings } from '../../../src/document/headings.ts'

/** Checks the page title and the headings, each as `## title`. */
function check(source: string, expected: { title: string; headings: string[] }): void {
  const { title, text } = parseHtml(source, 'x.html')
  const list = headings(text, 'markdown').map((it) => `${'#'.repeat(it.level)} ${it.title}`)
  expect({ title, headings: list }).toEqual(expected)
}

const textOf = (source: string) => parseHtml(source, 'x.html').text

test('turns the methods that Javadoc lists into headings', () => {
  check(
    `<title>Kettle (Kitchen 2 API)</title><div class="topNav"><a href="x">Overview</a></div>
    <div class="header"><h2 class="title">Class Kettle</h2></div><ul class="blockList"><li>
    <h3>Method Detail</h3><ul class="blockList"><li><h4>boil</h4><pre>void boil()</pre>
    <dl><dt>Returns:</dt><dd>nothing</dd></dl></li><li><h4>pour</h4></li></ul></li></ul>
    <div class="bottomNav">Prev Class</div>`,
    {
      title: 'Kettle (Kitchen 2 API)',
      headings: ['## Class Kettle', '### Method Detail', '#### boil', '#### pour'],
    },
  )
})

test('turns the methods that rustdoc collapses into headings', () => {
  check(
    `<title>Kettle in kitchen - Rust</title><main><h1>Struct <span>Kettle</span></h1>
    <details class="toggle" open><summary><section id="method.boil"><a class="src" href="s">Source</a>
    <h4 class="code-header">pub fn <a href="#method.boil">boil</a>() -&gt; Tea</h4></section></summary>
    <div class="docblock"><p>Boils.</p></div></details></main>`,
    { title: 'Struct Kettle', headings: ['# Struct Kettle', '#### pub fn boil() -> Tea'] },
  )
})

test('converts members in Doxygen, TypeDoc and pkg.go.dev pages to headings', () => {
  check(
    `<title>Kitchen: Kettle Class Reference</title><div id="navrow1">Main</div><h2
    class="memtitle"><span class="permalink"><a href="#a">&#9670;&nbsp;</a></span>boil()</h2>`,
    { title: 'Kitchen: Kettle Class Reference', headings: ['## boil()'] },
  )
  check(
    `<h1>Kettle</h1><ul class="tsd-signatures"><li class="tsd-description"><p>Boils.</p>
    <h4>Parameters</h4><ul><li>to: number</li></ul></li></ul>`,
    { title: 'Kettle', headings: ['# Kettle', '#### Parameters'] },
  )
  check(
    `<h1>kettle</h1><h4 id="Boil" class="Documentation-functionHeader"><span>func
    <a href="s.go">Boil</a> <a href="#Boil">¶</a></span></h4>`,
    { title: 'kettle', headings: ['# kettle', '#### func Boil'] },
  )
})

test('turns the signatures that pydoc and pdoc write into headings', () => {
  check(
    `<title>Python: module kettle</title><dl><dt><a name="-boil"><strong>boil</strong></a>(to)
    </dt><dd>Boils.</dd></dl>`,
    { title: 'Python: module kettle', headings: ['#### boil(to)'] },
  )
  check(
    `<h1>kettle</h1><dl><dt id="k.boil"><code class="name flex"><span>def
    <span class="ident">boil</span></span>(<span>to)</span></code></dt><dd>Boils.</dd></dl>`,
    { title: 'kettle', headings: ['# kettle', '#### def boil(to)'] },
  )
  check(
    `<h1>kettle</h1><section id="Kettle"><div class="attr class"><span>class</span> Kettle:
    <label class="view-source-button">View Source</label></div><section id="Kettle.boil">
    <div class="attr function">def boil(self)</div></section></section>`,
    { title: 'kettle', headings: ['# kettle', '### class Kettle:', '#### def boil(self)'] },
  )
})

test('removes the navigation rows around DocBook pages', () => {
  const page = `<html><head><title>20.4. Memory</title></head><body><div class="navheader"><table>
    <tr><td>Prev</td></tr></table></div><div class="sect1"><h2 class="title">20.4. Memory</h2>
    <p>Text.</p></div><div class="navfooter">Next</div></body></html>`
  check(page, { title: '20.4. Memory', headings: ['## 20.4. Memory'] })
  expect(textOf(page)).toBe('## 20.4. Memory\n\nText.\n')
})

test('keeps items without a heading next to items with one', () => {
  expect(textOf('<ol><li>a</li><li><h3>B</h3><p>b</p></li><li>c</li></ol>')).toBe(
    '1. a\n\n### B\n\nb\n\n3. c\n',
  )
  expect(textOf('<dl><dt id="a"><a name="a">a</a></dt><dd>b</dd></dl>')).toBe('**a**\n\nb\n')
})
