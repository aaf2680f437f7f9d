import { filled, grown, type Shapes } from './filled.ts'

export const mdxShapes: Shapes = {
  'export bs': ['# T\n\nexport const x = "', '\\', '\n\ntext\n'],
  'export bs2': ['# T\n\nexport const x = [`', '.\\]`', '\n\ntext\n'],
  'export bs3': (size) =>
    `# T\n\nexport const x = {\n${filled(`  a: "${'\\a'.repeat(25)}\n`, size)}}\n\ntext\n`,
  'import brace': ['# T\n\nimport ', '{', '} from x\n\ntext\n'],
  'import ws': ['# T\n\nimport ', 'a ', 'from x\n\ntext\n'],
  'import many': ['', 'import { a\n', 'text\n'],
  'export many': ['', 'export const a = {\n', 'text\n'],
  'export meta': ['', 'export const meta = {\n', 'text\n'],
  'exports title': ['', 'export const title = "', 'text\n'],
  'tag attrs': ['# T\n\n<Foo ', 'a="b" ', '\n\ntext\n'],
  'tag open': ['# T\n\n', '<Foo ', '\n\ntext\n'],
  'tag open nl': ['# T\n\n', '<Foo\n', '\n\ntext\n'],
  'tag brace': ['# T\n\n<Foo a={', '{"\\', '\n\ntext\n'],
  'tag brace many': ['# T\n\n', '<Foo a={', '\n\ntext\n'],
  'tag ws': (size) => `# T\n\n${filled(`<Foo${' '.repeat(1000)}`, size)}\n\ntext\n`,
  comments: ['# T\n\n', '{/*', '\n\ntext\n'],
  'comment cl': (size) => `# T\n\n${filled('{/*', size)}${filled('*/', size)}\n\ntext\n`,
  ticks: ['# T\n\n', '`', ' x\n\ntext\n'],
  ticks2: ['# T\n\n', '`` ` ', ' x\n\ntext\n'],
  nest: ['# T\n\n', '<Foo>', ' x\n\ntext\n'],
  'nest nl': ['# T\n\n', '<Foo>\n', ' x\n\ntext\n'],
  'nest alt': (size) =>
    `# T\n\n${grown(size, (i) => `<Foo${i}>\n`)}x\n${filled('</Nope>\n', size)}`,
  'nested notes': ['# T\n\n', '<Note>\n', ' x\n\ntext\n'],
  'notes in a line': ['# T\n\n', '<Note>a</Note>', ' x\n\ntext\n'],
  'notes around nothing': (size) =>
    `# T\n\n${filled('<Tab title="a">\n', size / 3)}` +
    `${'\n'.repeat(size / 3)}${filled('</Tab>\n', size / 3)}`,
  'notes in items': (size) => `# T\n\n${grown(size, (i) => `${' '.repeat(i % 90)}- <Note>\n`)}`,
  'tabs by list': (size) =>
    `# T\n\n<Tabs items={[${filled(`'a', `, size / 2)}]}>\n` + filled('<Tab>b</Tab>\n', size / 2),
  'code group': ['<CodeGroup>\n', '```sh a\n```\n', '</CodeGroup>\n'],
  'fence titles': ['<CodeGroup>\n```sh ', 'title=" ', '\na\n```\n</CodeGroup>\n'],
  lt: ['# T\n\n', '<', ' x\n\ntext\n'],
  newlines: ['# T\n\nfoo', '\n', ' x\n\ntext\n'],
  'escaped quotes': ['# T\n\n<Foo a={"', '\\"', '}>\n\ntext\n'],
  'tags in braces': (size) =>
    `# T\n\n${filled('<b {', size / 2)}${filled('}>', size / 2)}\n\ntext\n`,
  'tags in attributes': ['# T\n\n', '<b a="', '">\n\ntext\n'],
  'exports of long lines': ['# T\n\n', `export const a = {${'x'.repeat(1000)}\n`, 'text\n'],
  'imports of long lines': ['# T\n\n', `import {${'x '.repeat(500)}\n`, 'text\n'],
  'blanks in an import': ['# T\n\nimport { a', ' ', '} from x\n\ntext\n'],
  'quotes of an export': ['# T\n\nexport const a = {\n', `'"\``, '\n}\n\ntext\n'],
}
