import { expect, test } from 'bun:test'
import { testWhere } from '../support/where.ts'
import { checkExecutable, refuseOtherLibc } from '../../src/platform/native/load.ts'

test('accepts a system with a new enough glibc, and reports its version', () => {
  expect(refuseOtherLibc).not.toThrow()
  const { ok, detail } = checkExecutable('1.2.3')
  expect(ok).toBe(true)
  expect(detail).toStartWith('og 1.2.3, ')
  if (process.platform === 'linux') expect(detail).toMatch(/glibc \d+\.\d+$/)
})

const onLinux = testWhere(process.platform === 'linux' ? null : 'only Linux has glibc')

onLinux('rejects another libc or an older glibc in one line', () => {
  const { getReport } = process.report
  const refusal = (version: string | undefined) => {
    process.report.getReport = () => ({ header: { glibcVersionRuntime: version } })
    try {
      refuseOtherLibc()
      return null
    } catch (error) {
      return (error as Error).message
    } finally {
      process.report.getReport = getReport
    }
  }
  expect(refusal(undefined)).toBe(
    'Cannot run on this system: og needs glibc 2.28, it has none (musl?)',
  )
  expect(refusal('2.27')).toContain('its version is 2.27')
  expect(refusal('2.28')).toBeNull()
  expect(refusal('3.0')).toBeNull()
})
