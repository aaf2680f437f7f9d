import { expect, test } from 'bun:test'
import { findNeeds } from '../../../src/api/link/dependency.ts'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'

test('needs the files of re-exported names only, and terminates in circles', () => {
  const texts = {
    'own.ts': 'export { a } from "x"\nexport * from "y"',
    'x.ts': 'export * from "z"\nexport { b } from "w"',
    'z.ts': 'export * from "x"',
  }
  const outlines = new Map(
    Object.entries(texts).map(([path, text]) => [path, outlineTypeScript(text)]),
  )
  const { files, packages } = findNeeds(outlines, {
    isOwn: (path) => path === 'own.ts',
    locate(_, written) {
      if (written === 'y') return { name: 'y', range: '^1' }
      return `${written}.ts` in texts ? { path: `${written}.ts` } : null
    },
  })
  expect([...files]).toEqual([])
  expect([...packages.keys()]).toEqual(['y'])
})
