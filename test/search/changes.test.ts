import { expect, test } from 'bun:test'
import { asksForChanges, versionOfChanges } from '../../src/search/changes.ts'

test('recognises questions about news, changes and releases', () => {
  for (const query of ["what's new", 'breaking changes', 'removed since spring', 'in 0.106.0']) {
    expect([query, asksForChanges(query)]).toEqual([query, true])
  }
  for (const query of ['how do I exchange keys', 'newer clients', 'version 2']) {
    expect([query, asksForChanges(query)]).toEqual([query, false])
  }
})

test('extracts the version whose changes the query asks for', () => {
  const check = (query: string, version: string | null) =>
    expect([query, versionOfChanges(query)]).toEqual([query, version])
  check('what changed in 0.115.0', '0.115.0')
  check("what's new in v6.1?", '6.1')
  check('release notes 2.0.0-beta.1', '2.0.0-beta.1')
  check('does it work with python 3.10', null)
  check('what has changed', null)
  check('fixed in file.1.2.txt', null)
})
