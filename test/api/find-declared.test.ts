import { expect, test } from 'bun:test'
import { findDeclaredModule, findDocumented } from '../../src/api/find-declared.ts'

const files: Record<string, string> = {
  'packages/x/types/index.d.ts': [
    "declare module 'x/other' {",
    '\texport const other: number;',
    '}',
    "declare module 'x/animate' {",
    '\t/** Moves a node. */',
    '\texport function flip(node: Element): void;',
    '\texport interface Parameters {',
    '\t\t/** In milliseconds. */',
    '\t\tdelay?: number;',
    '\t}',
    '}',
  ].join('\n'),
  'node_modules/x/animate.d.ts': "declare module 'x/animate' {\n\texport const old: 1;\n}",
  'src/create.ts': '/** Creates a **store**. */\nexport function create(): void {}\n',
  'src/deep/create.ts': '/** Another. */\nexport function create(): void {}\n',
}

const read = async (path: string) =>
  path.startsWith('*')
    ? Object.keys(files)
        .filter((file) => file.endsWith(path.slice(1)))
        .join('\n') || null
    : (files[path] ?? null)

test('renders the members of a declared module, and of no other', async () => {
  const text = await findDeclaredModule(read, 'x/animate')
  expect(text).toContain('## `flip`\n\n```typescript\nfunction flip(node: Element): void\n```')
  expect(text).toContain('Moves a node.')
  expect(text).toContain('In milliseconds.')
  expect(text).not.toContain('other')
  expect(await findDeclaredModule(read, 'x/anim')).toBeNull()
})

test('returns the documentation of a name in the file nearest to the root', async () => {
  expect(await findDocumented(read, { file: 'create.ts', name: 'create' })).toBe(
    'Creates a **store**.',
  )
  expect(await findDocumented(read, { file: 'deep/create.ts', name: 'create' })).toBe('Another.')
  expect(await findDocumented(read, { file: 'create.ts', name: 'gone' })).toBeNull()
})
