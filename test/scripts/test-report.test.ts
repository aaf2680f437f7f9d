import { expect, test } from 'bun:test'
import { readReport, sumLine } from '../../scripts/test-report.ts'
import { testWhere } from '../support/where.ts'

/** A report in Bun's format. */
const report = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="5" failures="3" skipped="1">
  <testsuite name="test/a.test.ts" file="test/a.test.ts">
    <testsuite name="group" file="test/a.test.ts" line="2">
      <testcase name="a &lt;b&gt;" classname="group" file="test/a.test.ts" line="3">
        <failure type="AssertionError" message="expect(received).toBe(expected)&#10;&#10;Expected: 2&#10;Received: 1&#10;">AssertionError: …</failure>
      </testcase>
      <testcase name="throws" classname="group" file="test/a.test.ts" line="4">
        <failure type="Error" message="hello&#10;world">Error: hello</failure>
      </testcase>
      <testcase name="hangs" classname="group" file="test/a.test.ts" line="7">
        <failure type="TimeoutError" message="test timed out" />
      </testcase>
    </testsuite>
    <testcase name="fine" classname="" file="test/a.test.ts" line="5" />
    <testcase name="full disk [skipped: no disk]" classname="" file="test/a.test.ts" line="6">
      <skipped />
    </testcase>
  </testsuite>
</testsuites>`

test('lists each failed or skipped test on one line with its location, name and reason', () => {
  expect(readReport(report)).toEqual({
    passed: 1,
    failed: [
      'test/a.test.ts › group › a <b>: expect(received).toBe(expected) Expected: 2 Received: 1',
      'test/a.test.ts › group › throws: hello',
      'test/a.test.ts › group › hangs: test timed out',
    ],
    skipped: ['test/a.test.ts › full disk [skipped: no disk]'],
  })
})

test('does not count tests that -t excludes as skipped, and reads an empty report as zero tests', () => {
  expect(readReport(report, 'fine').skipped).toEqual([])
  expect(readReport(report, 'full').skipped).toHaveLength(1)
  expect(readReport('<testsuites/>')).toEqual({ passed: 0, failed: [], skipped: [] })
})

test('the last line counts skipped tests only if there are any', () => {
  expect(sumLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed')
  expect(sumLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped')
})

let ran = 0
testWhere(null)('a test runs if the machine lacks nothing', () => expect(++ran).toBe(1))
