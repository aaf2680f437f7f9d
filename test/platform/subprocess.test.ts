import { describe, expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { runProgram, startProgram } from '../../src/platform/subprocess.ts'

const place = { cwd: tmpdir(), env: { PATH: process.env.PATH ?? '' } }
const shell = (script: string, more: Partial<Parameters<typeof runProgram>[1]> = {}) =>
  runProgram(['sh', '-c', script], { ...place, ...more })
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

describe('runProgram', () => {
  test("returns the program's output, error output and exit code", async () => {
    const ran = await shell('cat; echo bad >&2; exit 3', { stdin: 'in' })
    expect({ ...ran, stdout: text(ran.stdout) }).toEqual({
      exitCode: 3,
      stdout: 'in',
      stderr: 'bad\n',
      timedOut: false,
    })
  })

  test('passes the arguments unchanged and only the given environment', async () => {
    const ran = await runProgram(['printf', '%s|', '$(id)', '; x', '-n', 'ö\n'], place)
    expect(text(ran.stdout)).toBe('$(id)|; x|-n|ö\n|')
    process.env.OG_TEST_INHERITED = 'yes'
    expect(text((await shell('printf %s "$OG_TEST_INHERITED"')).stdout)).toBe('')
    delete process.env.OG_TEST_INHERITED
  })

  test('tolerates a program that does not read its input', async () =>
    expect((await shell('exit 0', { stdin: 'x'.repeat(2 ** 20) })).exitCode).toBe(0))

  test('kills the process and all its children at the timeout', async () => {
    const began = performance.now()
    const ran = await shell('sleep 250 & sleep 250', { timeoutMs: 100 })
    expect(ran.timedOut).toBe(true)
    expect(performance.now() - began).toBeLessThan(200_000)
  })

  test('ends the program and throws the reason when the signal aborts', async () => {
    const timed = shell('sleep 250 & sleep 250', { signal: AbortSignal.timeout(100) })
    await expect(timed).rejects.toThrow('timed out')
    const stopped = shell('exit 0', { signal: AbortSignal.abort(new Error('stop')) })
    await expect(stopped).rejects.toThrow('stop')
  })

  test('fails if the program writes endlessly or does not exist', async () => {
    await expect(shell('yes', { maxStdoutBytes: 1000 })).rejects.toThrow(
      '"sh" wrote more than expected',
    )
    await expect(runProgram(['no-such-program'], place)).rejects.toThrow(
      'Cannot run "no-such-program": program not found',
    )
  })
})

test('exchanges data with a program, and kills it at the end of the scope', async () => {
  let ended: Promise<{ exitCode: number }>
  {
    await using child = startProgram(['cat'], place)
    ended = child.ended
    child.stdin.write('hello')
    await child.stdin.flush()
    const { value } = await child.stdout.getReader().read()
    expect(text(value!)).toBe('hello')
  }
  expect((await ended).exitCode).toBe(137)
})
