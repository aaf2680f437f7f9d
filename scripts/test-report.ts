/** Results of a test run, read from the JUnit report that Bun writes. */
import { SaxesParser } from 'saxes'

export type TestReport = {
  passed: number
  /** One line per test: file, test name, and the beginning of the error. */
  failed: string[]
  /** One line per test. The name of a skipped test ends with the reason. */
  skipped: string[]
}

type Case = { file: string; name: string; isSkipped: boolean; fault: string | null }

/** @param namePattern the value of `-t`; Bun reports every other test as skipped */
export function readReport(xml: string, namePattern?: string): TestReport {
  const isMeant = new RegExp(namePattern ?? '')
  const cases = casesOf(xml).filter(({ name, isSkipped }) => !isSkipped || isMeant.test(name))
  return {
    passed: cases.filter(({ isSkipped, fault }) => !isSkipped && fault === null).length,
    failed: cases
      .filter(({ fault }) => fault !== null)
      .map(({ file, name, fault }) => `${file} › ${name}: ${shortened(fault!)}`),
    skipped: cases
      .filter(({ isSkipped }) => isSkipped)
      .map(({ file, name }) => `${file} › ${name}`),
  }
}

export type Sums = { passed: number; failed: number; skipped: number }

/** Returns the last line of a run. */
export function sumLine({ passed, failed, skipped }: Sums): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

function casesOf(xml: string): Case[] {
  const cases: Case[] = []
  const groups: string[] = []
  const parser = new SaxesParser()
  parser.on('opentag', ({ name: tag, attributes }) => {
    const { name = '', file = '', message, type } = attributes
    if (tag === 'testsuite') groups.push(name === file ? '' : name)
    if (tag === 'testcase') {
      const path = [...groups, name].filter((part) => part !== '').join(' › ')
      cases.push({ file, name: path, isSkipped: false, fault: null })
    }
    const last = cases.at(-1)
    if (tag === 'skipped') last!.isSkipped = true
    if (tag === 'failure' || tag === 'error') last!.fault = message ?? type ?? 'failed'
  })
  parser.on('closetag', ({ name }) => {
    if (name === 'testsuite') groups.pop()
  })
  parser.write(xml).close()
  return cases
}

/** Joins all lines of an assertion, because its first line does not contain the values. */
function shortened(fault: string): string {
  const lines = fault
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const text = (lines[0]?.startsWith('expect(') ? lines.join(' ') : lines[0]) ?? 'failed'
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
