import { afterEach, beforeEach, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHome, type RunOptions, type TempHome } from '../run-og.ts'
import { homePaths } from '../run/home-paths.ts'

export const withoutModel = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }

type Options = RunOptions & { code?: number; stderr?: string | RegExp }

/** Creates a temporary home for each test of a file, in which `og memory` runs without a model. */
export function memoryHome() {
  let open: TempHome
  beforeEach(() => {
    open = openHome()
  })
  afterEach(() => open[Symbol.dispose]())
  const home: Pick<TempHome, 'path' | 'run'> = {
    get path() {
      return open.path
    },
    run: (argv, options) => open.run(argv, options),
  }

  /** Checks the output, with ids and times replaced by words. */
  async function check(typed: string[], stdout: string | RegExp, options: Options = {}) {
    const env = { ...withoutModel, ...options.env }
    const ran = await home.run(['memory', ...typed], { ...options, env })
    const { code = 0, stderr = '' } = options
    const said = withoutNews(ran.stderr)
    if (typeof stderr === 'string') expect(literal(said)).toBe(stderr)
    else expect(said).toMatch(stderr)
    if (typeof stdout === 'string') expect(literal(ran.stdout)).toBe(stdout)
    else expect(ran.stdout).toMatch(stdout)
    expect(ran.code).toBe(code)
  }

  const literal = (text: string) =>
    text
      .replaceAll(home.path, 'HOME')
      .replace(/\b[a-z0-9]{8}-[0-9a-f]{6}\b/g, 'WRITE')
      .replace(/\b\d{4}-\d\d-\d\d_\d{6}(-\d)?/g, 'BACKUP')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'WHEN')
      .replace(/\d{4}-\d\d-\d\d/g, 'DAY')
      .replace(/\bentry [0-9a-f]{12}\b/g, 'entry ID')
      .replace(/score=[\d.]+/g, 'score=N')

  async function json(typed: string[], code = 0) {
    const ran = await home.run(['memory', ...typed, '--json'], { env: withoutModel })
    expect(withoutNews(ran.stderr)).toBe('')
    expect(ran.code).toBe(code)
    return JSON.parse(ran.stdout)
  }

  const folder = (name = 'default') => join(home.path, homePaths.memory, name)
  const file = (name: string) => readFileSync(join(folder(), name), 'utf8')
  return { home, check, json, literal, folder, file }
}

/** The first command reports that it created the memory. */
const withoutNews = (text: string) => text.replace(/^New memory: .*\n/, '')
