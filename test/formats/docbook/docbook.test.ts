import { expect, test } from 'bun:test'
import { parseDocbook } from '../../../src/formats/docbook/docbook.ts'
import { growthLimitFor } from '../../../src/document/growth.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'

const parse = (xml: string, variables?: Map<string, string>) =>
  parseDocbook(xml, { path: 'a.xml', variables, growth: growthLimitFor(xml.length) })
const check = (xml: string, expected: string) =>
  expect(parse(`<sect1><title>T</title>${xml}</sect1>`).text).toBe(`# T\n\n${expected}\n`)

test('writes sections as headings, with the title of the first one', () => {
  const { title, language, text } = parse(
    '<?xml version="1.0"?><!-- c --><chapter xml:lang="en" xmlns:x="http://x"><info><title>A <acronym>B</acronym></title></info>' +
      '<indexterm><primary>no</primary></indexterm><para>One.</para><sect1><title>C</title><sect2 id="d"><title>D</title>' +
      '<para>See <xref linkend="d"/> and <xref linkend="e"/>.</para></sect2></sect1></chapter>',
  )
  expect([title, language]).toEqual(['A B', 'en'])
  expect(text).toBe('# A B\n\nOne.\n\n## C\n\n### D\n\nSee D and e.\n')
})

test('titles a page of a manual by the names that it describes', () => {
  const { title, text } = parse(
    '<refentry><refmeta><manvolnum>1</manvolnum></refmeta><refnamediv><refname>lamp</refname><refname>lantern</refname>' +
      '<refpurpose>light a room</refpurpose></refnamediv><refsynopsisdiv><cmdsynopsis><command>lamp</command>' +
      '<arg choice="plain" rep="repeat">room</arg><arg>-v</arg><group choice="req"><arg choice="plain">on</arg>' +
      '<arg choice="plain">off</arg></group></cmdsynopsis></refsynopsisdiv></refentry>',
  )
  expect(title).toBe('lamp, lantern')
  expect(text).toBe(
    '# lamp, lantern\n\nlight a room\n\n## Synopsis\n\n```\nlamp room ... [-v] {on | off}\n```\n',
  )
})

test('writes code, links, quotes and emphasis in a paragraph', () => {
  check(
    '<para>Use <function>on</function>, <literal>a`b</literal>, <emphasis role="bold">two</emphasis>\n  ' +
      '<emphasis>one</emphasis> <quote>q</quote> <ulink url="https://x.dev/a b">x</ulink> ' +
      '<link linkend="d">d</link><footnote><para>f</para></footnote> ' +
      '<citerefentry><refentrytitle>sh</refentrytitle><manvolnum>1</manvolnum></citerefentry> 2*3 &lt;a></para>',
    'Use `on()`, `` a`b ``, **two** *one* “q” [x](https://x.dev/a%20b) d (f) `sh(1)` 2\\*3 \\<a>',
  )
})

test('keeps code as it is, and shows where a paragraph contains it', () => {
  check(
    '<para>Before\n<programlisting language="PHP"><![CDATA[\n  $a & $b; &amp;\n]]></programlisting> after.</para>' +
      '<screen>$ <userinput>ls</userinput><co id="x"/>\n a</screen>',
    'Before\n\n```php\n  $a & $b; &amp;\n```\n\nafter.\n\n```\n$ ls\n a\n```',
  )
})

test('writes lists, steps and terms', () => {
  check(
    '<itemizedlist><listitem><para>a</para><screen>b</screen></listitem><listitem>c</listitem></itemizedlist>' +
      '<procedure><step><para>one</para><substeps><step><para>two</para></step></substeps></step></procedure>' +
      '<variablelist><varlistentry><term><option>-v</option></term><term>-w</term><listitem><para>Verbose.</para></listitem></varlistentry></variablelist>',
    '- a\n\n  ```\n  b\n  ```\n\n- c\n\n1. one\n\n   1. two\n\n- `-v`, -w: Verbose.',
  )
})

test('gives a term with an id a heading', () => {
  check(
    '<variablelist><varlistentry id="guc-a"><term><varname>max_a</varname> (<type>integer</type>)</term>' +
      '<listitem><para>Sets a.</para></listitem></varlistentry></variablelist><para><xref linkend="guc-a"/></para>',
    '## `max_a` (`integer`)\n\nSets a.\n\n`max_a` (`integer`)',
  )
})

test('writes tables with and without a head', () => {
  const row = (...cells: string[]) =>
    `<row>${cells.map((cell) => `<entry>${cell}</entry>`).join('')}</row>`
  check(
    `<table><title>Types</title><tgroup cols="2"><thead>${row('A', 'B')}</thead><tbody>${row('<para>a|b</para><para>c</para>', 'd')}${row('e')}</tbody></tgroup></table>`,
    '**Types**\n\n| A | B |\n| --- | --- |\n| a\\|b c | d |\n| e |  |',
  )
  check('<informaltable><tr><td>x</td></tr></informaltable>', '|  |\n| --- |\n| x |')
})

test('labels notes, and titles examples', () => {
  check(
    '<note><para>N</para><screen>x</screen></note><example><title>E</title><screen>y</screen></example>',
    '**Note**\t\n\nN\n\n```\nx\n```\n\t\n\n**E**\n\n```\ny\n```',
  )
})

test('writes the signatures of functions and classes', () => {
  check(
    '<methodsynopsis><modifier>public</modifier><type class="union"><type>array</type><type>null</type></type>' +
      '<methodname>A::map</methodname><methodparam><type>int</type><parameter>n</parameter><initializer>1</initializer></methodparam>' +
      '<methodparam choice="opt"><type>string</type><parameter>s</parameter></methodparam>' +
      '<methodparam rep="repeat"><type>array</type><parameter>rest</parameter></methodparam></methodsynopsis>' +
      '<funcsynopsis><funcprototype><funcdef>int <function>f</function></funcdef><paramdef>int <parameter>a</parameter></paramdef></funcprototype></funcsynopsis>' +
      '<classsynopsis><ooclass><classname>B</classname></ooclass><fieldsynopsis><type>int</type> <varname>x</varname></fieldsynopsis></classsynopsis>',
    '```\npublic A::map(int n = 1, [string s], array ...rest): array|null\n```\n\n```\nint f(int a)\n```\n\n' +
      '```\nclass B {\n  int x\n}\n```',
  )
})

test('expands the entities of the site and of the document', () => {
  const site = new Map([
    ['note.x', '<note><simpara>Careful, &what;.</simpara></note>'],
    ['what', 'hot'],
  ])
  const { text } = parse(
    '<!DOCTYPE article [<!ENTITY own "mine">]><article><title>T&eacute;</title>&note.x;<para>&own; &unknown; &lt;</para></article>',
    site,
  )
  expect(text).toBe('# Té\n\n**Note**\t\n\nCareful, hot.\n\t\n\nmine <\n')
})

test('refuses XML that is not DocBook, and stops at entities that grow too much', () => {
  expect(() => parse('<project><title>T</title></project>')).toThrow('not a DocBook document')
  expect(() => parse('no XML')).toThrow('not a DocBook document')
  expect(() => parse('<sect1>'.repeat(100_000))).toThrow(
    'its elements are nested more than 200 deep',
  )
  const bomb = new Map([['a', 'x'.repeat(1000)]])
  for (const name of ['b', 'c', 'd']) {
    bomb.set(name, `&${String.fromCharCode(name.charCodeAt(0) - 1)};`.repeat(100))
  }
  const growth = growthLimitFor(100)
  parseDocbook('<para/>'.replace('para', 'sect1').replace('/>', '>&d;</sect1>'), {
    path: 'a.xml',
    variables: bomb,
    growth,
  })
  expect(growth.refusal()).toContain('it grows to more than')
})

test('reads elements named after members of Object.prototype as text', () => {
  check('<para>a <constructor>b</constructor> <toString/>c</para>', 'a b c')
})

test('takes time proportional to the length of a hostile document', async () => {
  for (const piece of [
    '<para/>',
    '<example><screen/></example>',
    '<!--',
    '<![CDATA[',
    '&a;',
    '<!ENTITY a "',
    '<row/>',
    '<entity name="a"/>',
    '<indexterm>x</indexterm>',
    '</para>',
    '<a b="c',
  ]) {
    await checkGrowth((length) => `<sect1>${piece.repeat(length / piece.length)}`, parse)
  }
})
