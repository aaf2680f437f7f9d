import { expect, test } from 'bun:test'
import {
  expandEntities,
  childElements,
  findChild,
  parseDocbookTree,
  textContent,
} from '../../../src/formats/docbook/docbook-tree.ts'
import { docbookInline } from '../../../src/formats/docbook/docbook-inline.ts'
import {
  docbookSignature,
  signatureElements,
} from '../../../src/formats/docbook/docbook-signature.ts'
import { writeInline } from '../../../src/document/write-markdown.ts'
import { parseDocbook } from '../../../src/formats/docbook/docbook.ts'
import { parseEntityDeclarations } from '../../../src/formats/docbook/entity-declarations.ts'
import { growthLimitFor } from '../../../src/document/growth.ts'

const first = (xml: string) => childElements(parseDocbookTree(xml, 'a.xml'))[0]!

test('reads elements without their prefixes, and broken XML', () => {
  const tree = first('<x:a b="c"><d>e</d><![CDATA[<f>]]><indexterm>no</indexterm>g')
  expect([tree.name, tree.attributes]).toEqual(['a', { b: 'c' }])
  expect(findChild(tree, 'd')?.children).toEqual(['e'])
  expect(textContent(tree)).toBe('e<f>g')
})

test('reads entities of a DTD and of a list, without entities of files', () => {
  const text =
    `<!ENTITY a "1"><!ENTITY b.c '<x y="2"/>'><!ENTITY d SYSTEM "d.xml">` +
    '<entity name="e" use="x"><title>E</title></entity><entity name="f">'
  expect([...parseEntityDeclarations(text)]).toEqual([
    ['a', '1'],
    ['b.c', '<x y="2"/>'],
    ['e', '<title>E</title>'],
  ])
})

test('expands entities outside code and removes comments', () => {
  const entities = new Map([
    ['a', 'A &b;'],
    ['b', 'B'],
    ['loop', '&loop;'],
  ])
  const growth = growthLimitFor(0)
  expect(
    expandEntities('&a; <![CDATA[&a;]]> &amp; &copy; &no; &loop;<!-- &a; --> &#65;', {
      entities,
      growth,
    }),
  ).toBe('A B <![CDATA[&a;]]> &amp; ©   &#65;')
})

test('joins keys, menus and members', () => {
  const inline = (xml: string) =>
    writeInline(docbookInline(first(`<para>${xml}</para>`), new Map([['t', ['T']]])))
  expect(inline('<keycombo><keycap>Ctrl</keycap><keycap>C</keycap></keycombo>')).toBe('Ctrl+C')
  expect(
    inline('<menuchoice><guimenu>File</guimenu><guimenuitem>Open</guimenuitem></menuchoice>'),
  ).toBe('File > Open')
  expect(
    inline('<simplelist type="inline"><member>a</member><member>b</member></simplelist>'),
  ).toBe('a, b')
  expect(inline('<xref linkend="t"/> 2<superscript>3</superscript> <literal> </literal>')).toBe(
    'T 2^3',
  )
})

test('writes a required group and a class with its members', () => {
  expect(signatureElements.has('cmdsynopsis')).toBe(true)
  const group = '<group choice="req"><arg choice="plain">a</arg><arg choice="plain">b</arg></group>'
  expect(docbookSignature(first(`<cmdsynopsis>${group}</cmdsynopsis>`))).toBe('{a | b}')
  expect(
    docbookSignature(
      first(
        '<classsynopsis><ooclass>A</ooclass><methodsynopsis><methodname>f</methodname></methodsynopsis></classsynopsis>',
      ),
    ),
  ).toBe('class A {\n  f()\n}')
})

test('writes tables up to a number of cells', () => {
  const growth = growthLimitFor(0)
  const table = (rows: string) =>
    parseDocbook(`<article><table><tgroup><tbody>${rows}</tbody></tgroup></table></article>`, {
      path: 'a.xml',
      growth,
    }).text
  expect(table('<row><entry>a</entry></row>')).toBe('|  |\n| --- |\n| a |\n')
  const wide = `<row>${'<entry/>'.repeat(1000)}<entry>a</entry></row>`
  expect(table(wide + '<row><entry>b</entry></row>'.repeat(100)).length).toBeLessThan(2000)
})
