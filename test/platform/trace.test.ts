import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { isTraceLine } from '../../src/platform/trace.ts'

const source = join(import.meta.dir, '../../src')

async function stderrOf(args: string[], debug: string): Promise<string[]> {
  const env = { ...process.env, OG_DEBUG: debug }
  const child = Bun.spawn([process.execPath, ...args], { env, stdout: 'ignore', stderr: 'pipe' })
  const text = await new Response(child.stderr).text()
  expect(await child.exited).toBe(0)
  return text.split('\n').slice(0, -1)
}

const code = `
  const { trace } = await import(${JSON.stringify(join(source, 'platform/trace.ts'))})
  trace('open store', { folder: 'a b\\n\\x1b[31m', chunks: 0, commit: undefined })`

test('writes a step with its time and details on one line without control characters', async () => {
  const lines = await stderrOf(['-e', code], '1')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^\[og +\d+\.\d ms\] open store folder=a b \[31m chunks=0$/)
  expect(isTraceLine(lines[0]!)).toBe(true)
})

test('writes only if OG_DEBUG is 1', async () => {
  expect(await stderrOf(['-e', code], '')).toEqual([])
  expect(await stderrOf(['-e', code], '0')).toEqual([])
})

test('traces every command from its start to its end, with growing times', async () => {
  const lines = await stderrOf([join(source, 'main.ts'), 'version'], '1')
  const steps = lines.map((line) => /^\[og +([\d.]+) ms\] ([a-z]+(?: [a-z]+(?!\w|=))?)/.exec(line)!)
  expect(steps.map(([, , step]) => step)).toEqual([
    'start',
    'parse command',
    'run command',
    'flush output',
  ])
  const times = steps.map(([, ms]) => Number(ms))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})
