import { expect, test } from 'bun:test'
import { asksForChanges } from '../../src/search/changes.ts'

test('what is new, what was changed and what a version has', () => {
  for (const query of ["what's new", 'breaking changes', 'removed since spring', 'in 0.106.0']) {
    expect([query, asksForChanges(query)]).toEqual([query, true])
  }
  for (const query of ['how do I exchange keys', 'newer clients', 'version 2']) {
    expect([query, asksForChanges(query)]).toEqual([query, false])
  }
})
