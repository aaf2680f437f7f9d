import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findFrontBlock, withoutFrontBlock } from '../../src/formats/front-block.ts'
import { parseFrontMatter, type FrontMatter } from '../../src/formats/front-matter.ts'

type Expected = Partial<Omit<FrontMatter, 'values'>> & { text: string }

function check(source: string, expected: Expected): void {
  const nothing = { title: null, description: null, language: null }
  const { values: _, ...front } = parseFrontMatter(source)
  expect(front).toEqual({ ...nothing, ...expected })
}

const untouched = (source: string) => check(source, { text: source })

test('reads title and description from YAML front matter', () => {
  check('---\ntitle: A page\ndescription: >\n  Two\n  lines\n---\n\n# A\n', {
    title: 'A page',
    description: 'Two lines',
    text: '\n# A\n',
  })
  check('---\nTitle: "A: \\"quoted\\" \'one\'"\n...\nrest', {
    title: 'A: "quoted" \'one\'',
    text: 'rest',
  })
  check('---\ntitle: A\n---', { title: 'A', text: '' })
  check('---\n---\nrest', { text: 'rest' })
})

test('reads the language from front matter', () => {
  check('---\nlang: pt_BR\n---\nx', { language: 'pt_BR', text: 'x' })
  check('+++\nlocale = "de"\n+++\nx', { language: 'de', text: 'x' })
})

test('accepts only strings and numbers as titles, and keeps numbers as written', () => {
  check('---\ntitle: 1.10\ndescription: 2024-01-02\n---\nx', {
    title: '1.10',
    description: '2024-01-02',
    text: 'x',
  })
  check('---\ntitle: [a]\ndescription: true\n---\nx', { text: 'x' })
  check('---\nbase: &b Kettle\ntitle: *b\n---\nx', { text: 'x' })
  check('---\ntitle: !!js/function "x"\n---\nx', { title: 'x', text: 'x' })
})

test('reads title and description from TOML front matter', () => {
  check('+++\ntitle = "A \\"b\\""\ndescription = \'c\' # why\n[extra]\ntitle = "no"\n+++\nrest', {
    title: 'A "b"',
    description: 'c',
    text: 'rest',
  })
})

test('reads JSON on one line, and a format named after the mark', () => {
  check('{"title": "A"}\nx', { title: 'A', text: 'x' })
  check('---json\n{ "title": "A" }\n---\nx', { title: 'A', text: 'x' })
  check('---toml\ntitle = "A"\n---\nx', { title: 'A', text: 'x' })
  untouched('{"a": 1}\nx')
})

test('shows the hero and the features of a home page', () => {
  check(
    '---\nlayout: home\nhero:\n  name: Kettle\n  text: Boils\n  tagline: Fast <b>tea</b>\n  actions:\n' +
      '    - {text: Start, link: /guide}\nfeatures:\n  - title: Quick\n    details: One minute\n' +
      '  - {title: Safe, link: /safe}\n---\nrest',
    {
      description: 'Fast <b>tea</b>',
      text:
        '# Kettle\n\nBoils\n\nFast <b>tea</b>\n\n- [Start](/guide)\n\n' +
        '- **Quick**: One minute\n- **[Safe](/safe)**\n\nrest',
    },
  )
  check('---\ntitle: T\nhero:\n  title: Kettle\n---\nx', { title: 'T', text: 'Kettle\n\nx' })
  check('---\nfeatures:\n  - title: a\n---\nx', { text: 'x' })
})

test('W-12: matches delimiters as whole lines, and keeps rules and overlines in the text', () => {
  check('---\ntitle: A --- B\n---\nrest --- of it', { title: 'A --- B', text: 'rest --- of it' })
  untouched('-----\nTitle\n-----\n\ntext\n')
  untouched('---\n\n# Title\n\nSome prose: here.\n\n---\n\ntext\n')
  untouched('---\nSome prose: here\n---\n')
  untouched('---\nABC\n---\n')
  untouched('----\ntitle: a\n----\n')
  untouched(' ---\ntitle: a\n---\n')
  untouched('text\n---\ntitle: a\n---\n')
  untouched('---\ntitle: never closed\n')
})

test('reads fields that are not strict YAML line by line and removes the block', () => {
  check('---\ntitle: bind:\nx: [\n---\n# A\n', { title: 'bind:', text: '# A\n' })
  check('---\ntitle: {#if ...}\ndescription: >-\n  Two\n  lines\ntags: @x\n---\n# A\n', {
    title: '{#if ...}',
    description: 'Two lines',
    text: '# A\n',
  })
})

test('removes a block with few lines that are not fields', () => {
  check('---\n# note\ntitle: T\nodd line\nlayout: x\n...\n# A\n', { title: 'T', text: '# A\n' })
})

test('reads a title in braces as text', () => {
  check('---\ntitle: {let/const ...}\n---\n', { title: '{let/const ...}', text: '' })
  check('---\ntitle: { a: 1 }\n---\n', { text: '' })
})

test('keeps the block in the text if one of its lines is not a field', () => {
  const source = '---\ntitle: Kettle: the manual\nFor tea and more\n---\n# A\n'
  check(source, { title: 'Kettle: the manual', text: source })
})

test('does not expand YAML aliases, and survives deep nesting', () => {
  const levels = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`)
  check(`---\na0: &a0 [x]\n${levels.join('\n')}\ntitle: t\n---\nx`, { title: 't', text: 'x' })
  const deep = `---\ntitle: t\na: ${'['.repeat(60_000)}\n---\nx`
  check(deep, { title: 't', text: 'x' })
})

test('never throws, and always returns a suffix of the text', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '---',
      '+++',
      '...',
      'title: a',
      'title = "a"',
      '- x',
      '{',
      '[a',
      '&a *a',
      '? :',
      '!!x y',
      '',
    ),
  )
  const lines = fc.array(line, { maxLength: 12 })
  fc.assert(
    fc.property(fc.constantFrom('---', '+++', ''), lines, (first, rest) => {
      const source = [first, ...rest].join('\n')
      expect(source.endsWith(parseFrontMatter(source).text)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('finds the lines between the first two delimiters', () => {
  expect(findFrontBlock('---\na: b\n---\nx')).toEqual({ mark: '---', source: 'a: b\n', end: 13 })
  expect(findFrontBlock('text\n---\na: b\n---\n')).toBeNull()
})

test('removes the block between the first two delimiters', () => {
  expect(withoutFrontBlock('+++\na = 1\n+++\nx')).toBe('x')
  expect(withoutFrontBlock('x\n')).toBe('x\n')
})

test('reads values of nested maps, and lists in them as lines', () => {
  const { values } = parseFrontMatter(
    '---\ntitle: a\ntags: [x]\nparams:\n  sub:\n    kind: int\n    signatures: ["F A", "F B"]\n---\nb\n',
  )
  expect([...values]).toEqual([
    ['title', 'a'],
    ['params.sub.kind', 'int'],
    ['params.sub.signatures', 'F A\nF B'],
  ])
})

test('reads JSON front matter with a title', () => {
  check('{\n  "title": "A page",\n  "tags": ["a"]\n}\n\n# A\n', {
    title: 'A page',
    text: '\n# A\n',
  })
  untouched('{\n  "name": "an example"\n}\n\nText\n')
  untouched('{\n  "title": "never closed"\n\nText\n')
})
