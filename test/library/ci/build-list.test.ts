import { expect, test } from 'bun:test'
import {
  type PackOutcome,
  junitSummary,
  markdownSummary,
  summaryLine,
} from '../../../src/library/ci/build-list.ts'
import { OgError } from '../../../src/platform/error.ts'

const outcome: PackOutcome = {
  library: 'kettle',
  wishedVersion: '1',
  version: '1.0',
  result: 'published',
  path: 'kettle-1.0.ogpack',
  before: null,
  pages: 8,
  chunks: 13,
  health: 97,
  hits: null,
  notes: [],
  error: null,
  seconds: 1.2,
}
const hostile = '<b>|x\n`rm` & "q" [a](b)'
const failed: PackOutcome = {
  ...outcome,
  library: 'lamp',
  version: null,
  result: 'failed',
  path: null,
  health: null,
  error: new OgError(hostile, { hint: 'look' }),
}
const noted: PackOutcome = { ...outcome, result: 'unchanged', notes: ['cannot be read: x'] }

test('shows a table, the failures and the incomplete packs', () => {
  expect(summaryLine([outcome, failed, noted])).toBe('1 published, 1 unchanged, 1 failed')
  const text = markdownSummary([outcome, failed, noted])
  expect(text).toContain(
    '| kettle | 1.0 | published | 8 | 13 | 97 % | - | kettle-1.0.ogpack | 1.2 s |',
  )
  expect(text).toContain(
    '- **lamp 1**: \\<b\\>\\|x \\`rm\\` \\& "q" \\[a\\](b) (look); ' + 'none of it is published',
  )
  expect(text).toContain('### Not whole\n\n- **kettle 1.0**: cannot be read: x')
})

test('writes well-formed JUnit XML for any message', () => {
  const text = junitSummary([outcome, failed])
  expect(text).toContain('<testsuites tests="2" failures="1" errors="0" skipped="0" time="2.4">')
  expect(text).toContain(
    '<testcase classname="lamp" name="1" time="1.2">' +
      '<failure message="&lt;b&gt;|x&#10;`rm` &amp; &quot;q&quot; [a](b)">look</failure>',
  )
  const plain = text.replace(/<[^<>]*>/g, '')
  expect(plain).not.toMatch(/[<>\u0000-\u0008]|&(?!amp;|lt;|gt;|quot;|#10;)/)
})
