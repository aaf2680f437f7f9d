import { expect, test } from 'bun:test'
import { homedir, tmpdir } from 'node:os'
import { hasScratch, testEnvironment } from '../support/run/environment.ts'

test('runs tests and the programs they start in a temporary home', () => {
  expect(hasScratch(process.env)).toBe(true)
  expect(homedir()).toMatch(/og-tests-\w+\/home$/)
  expect(tmpdir()).toMatch(/og-tests-\w+\/tmp$/)
  const child = Bun.spawnSync(['sh', '-c', 'printf %s "$HOME"'])
  expect(child.stdout.toString()).toBe(homedir())
})

test("removes a user's settings for og, git and terminals from tests", () => {
  const mine = {
    OG_DB_PATH: 'a',
    OG_SHARED: 'b',
    XDG_DATA_HOME: 'c',
    GIT_DIR: 'd',
    HF_ENDPOINT: 'e',
    NO_COLOR: '1',
    PATH: '/bin',
    HOME: '/home/you',
  }
  expect(testEnvironment('/s', mine)).toEqual({
    OG_SHARED: 'b',
    PATH: '/bin',
    HOME: '/s/home',
    TMPDIR: '/s/tmp',
    GIT_CONFIG_NOSYSTEM: '1',
    TZ: expect.any(String),
    TESTS_SCRATCH: '/s',
  })
})

test('starts every test run at noon, far from midnight', () => {
  for (let hour = 0; hour < 24; hour++) {
    const now = new Date(Date.UTC(2026, 10, 23, hour, 50))
    const { TZ } = testEnvironment('/s', {}, now)
    expect(now.toLocaleTimeString('en-GB', { timeZone: TZ! })).toBe('12:50:00')
  }
  expect(new Date().getHours()).toBeWithin(11, 18)
  const child = Bun.spawnSync(['date', '+%d'])
  expect(child.stdout.toString().trim()).toBe(String(new Date().getDate()).padStart(2, '0'))
})
