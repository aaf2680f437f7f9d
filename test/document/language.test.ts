import { expect, test } from 'bun:test'
import { languageOfPath } from '../../src/document/language.ts'

test('detects the language by extension or file name', () => {
  const check = (path: string, name: string) => expect(languageOfPath(path)).toBe(name)
  check('a/b.py', 'python')
  check('a.tsx', 'tsx')
  check('a/Dockerfile', 'dockerfile')
  check('a.b/c', '')
})
