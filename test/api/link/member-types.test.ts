import { expect, test } from 'bun:test'
import { languages } from '../../../src/api/language.ts'
import { resolveNpmModules } from '../../../src/api/link/npm-package.ts'
import { listedMembers } from '../../../src/api/page-symbols.ts'
import { apiPages } from '../../../src/api/render.ts'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'

/** Returns the pages of a package whose main file is index.d.ts. */
function pagesOf(files: Record<string, string>) {
  const manifest = JSON.stringify({ name: 'lamp', types: 'index.d.ts' })
  const paths = new Set(Object.keys(files))
  const place = { name: 'lamp', manifest, paths, pathOf: (path: string) => path }
  const outlines = Object.entries(files).map(
    ([path, text]) => [path, outlineTypeScript(text)] as const,
  )
  return apiPages(resolveNpmModules(new Map(outlines), place), languages.typescript.style)
}

/** Returns the lists of members from other types, by the name above them. */
function memberListsOf(text: string): Record<string, string[]> {
  const lists: Record<string, string[]> = {}
  let symbol = ''
  for (const block of text.split('\n\n')) {
    symbol = /^#+ `lamp\.(.*)`/.exec(block)?.[1] ?? symbol
    if (block.startsWith('**Members**')) lists[symbol] = block.trimEnd().split('\n')
  }
  return lists
}

const oil =
  'interface Oil<T> {\n  /** In litres. Never negative. */\n  size: T\n  kind?: string\n  _own: 1\n}\n'

test('lists the members of the type that an alias stands for', () => {
  const files = {
    'index.d.ts':
      'import { Oil } from "./oil.js"\nexport type A = Oil<number>\nexport type B = Readonly<A> & { b: 1 }\n' +
      'export type C = Omit<Oil<1>, "size" | "x">\nexport type D = (Pick<Oil<1>, "size">)\n' +
      'export type E = A | B\nexport type F = Pick<A, keyof B> & External\n' +
      'export interface G extends Partial<Pick<A, "kind">> { g: 1 }\nexport type H = H & H\n',
    'oil.d.ts': `export ${oil}`,
  }
  const pages = pagesOf(files)
  const text = pages.map((page) => page.text).join('\n')
  const all = ['- `size: T`: In litres.', '- `kind?: string`']
  const title = (name: string) => `**Members** of \`${name}\`:`
  expect(memberListsOf(text)).toEqual({
    A: [title('interface Oil<T>'), ...all],
    B: [title('A'), ...all],
    C: [title('interface Oil<T>'), all[1]!],
    D: [title('interface Oil<T>'), all[0]!],
    G: [title('A'), all[1]!],
  })
  expect(text).toContain('\n- `g: 1`\n')
})

test('lists fields in a thousand characters, each once, and no methods', () => {
  const members = Array.from({ length: 14 }, (_, i) => `member${i}: '${'x'.repeat(80)}'`)
  const text =
    `interface M { cut(): 1; ${members.join('; ')} }\ninterface N { m: 0; n: 1 }\n` +
    'export type A = N & M\nexport type B = { a: 1 } & N\nexport type C = N & N\n'
  const pages = pagesOf({ 'index.d.ts': text })
  const lists = memberListsOf(pages.map((page) => page.text).join('\n'))
  const own = ['**Members** of `interface N`:', '- `m: 0`', '- `n: 1`']
  expect(lists).toMatchObject({ B: own, C: own })
  const chunks = pages.map((page) => page.text.replace(listedMembers, ''))
  expect(chunks.join('')).not.toContain('**Members**')
  expect(pages.map((page) => page.text).join('')).toContain(
    `${own.join('\n')}\n\n**Members** of \`interface M\`:\n- \`${members[0]}\``,
  )
  expect(lists['A']!.at(-1)).toBe('- 4 more')
  expect(lists['A']!.join('\n').length).toBeWithin(900, 1100)
})
