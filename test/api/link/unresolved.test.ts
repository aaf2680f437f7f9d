import { expect, test } from 'bun:test'
import { resolvePublicNames, type SourceModule } from '../../../src/api/link/link.ts'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'

/** Checks the names without a declaration of the first module, as `name reason from`. */
function check(files: Record<string, string>, expected: string[], packageOf?: () => string | null) {
  const modules = Object.entries(files).map(([name, text]): SourceModule => {
    return { name, path: name, outline: outlineTypeScript(text), isPublic: true, passesOn: false }
  })
  const linked = resolvePublicNames(modules, {
    separator: '.',
    isPublicName: () => true,
    resolve: (_, written) => modules.find(({ name }) => name === written) ?? null,
    ...(packageOf && { packageOf }),
  })
  const shown = linked[0]!.unresolved.map(({ name, reason, from }) => `${name} ${reason} ${from}`)
  expect(shown).toEqual(expected)
}

test('follows renamed names and stars to the file where the trace ends', () => {
  check({ a: 'export { x as y } from "b"', b: 'export { z as x } from "c"', c: '' }, [
    'a.y undeclared c',
  ])
  check({ a: 'export * from "b"', b: 'export { z, ok } from "c"', c: 'export class ok {}' }, [
    'a.z undeclared c',
  ])
})

test('names the package that should declare a name', () => {
  const lamp = { a: 'export { x } from "lamp"\nexport * from "oil"' }
  check(lamp, ['a.x dependency npm:it', 'a.* dependency npm:it'], () => 'npm:it')
  check(lamp, ['a.x absent lamp in a', 'a.* absent oil in a'], () => null)
  check(lamp, ['a.x undeclared lamp in a', 'a.* undeclared oil in a'])
})

test('ends if files re-export from each other', () => {
  check({ a: 'export * from "b"\nexport { x } from "b"', b: 'export { x } from "a"' }, [
    'a.x undeclared b',
  ])
})
