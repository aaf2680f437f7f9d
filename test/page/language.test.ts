import { expect, test } from 'bun:test'
import { languageOfPath } from '../../src/page/language.ts'

test('a language by extension, by name, or none', () => {
  const check = (path: string, name: string) => expect(languageOfPath(path)).toBe(name)
  check('a/b.py', 'python')
  check('a.tsx', 'tsx')
  check('a/Dockerfile', 'dockerfile')
  check('a.b/c', '')
})
