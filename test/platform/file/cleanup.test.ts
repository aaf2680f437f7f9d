/** Tests `atExit` in processes that end. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const program = join(import.meta.dir, '../..', 'support', 'programs', 'releaser.ts')

/** Checks the program's exit code, its output, and the output of its releases. */
function ended(way: string, by = '') {
  const child = Bun.spawnSync([process.execPath, program, way, by], {
    env: { ...process.env, NO_COLOR: '1' },
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  const [unheard, heard, after, ...released] = child.stdout.toString().trimEnd().split('\n')
  expect([unheard, heard, after]).toEqual(['0 0 0', '1 1 1', '0 0 0'])
  const faults = child.stderr
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('og: '))
  return { end: child.signalCode ?? child.exitCode, released, faults }
}

const all = {
  released: ['last', 'second', 'first'],
  faults: ['og: clean-up at exit failed: Error: no such folder'],
}

test('runs all releases at exit, last first, even if one fails', () => {
  expect(ended('')).toEqual({ end: 0, ...all })
  expect(ended('exit')).toEqual({ end: 3, ...all })
  expect(ended('error')).toEqual({ end: 1, ...all })
})

test('runs all releases on a signal that has no other listener, and then ends the process', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    expect(ended('signal', signal)).toMatchObject({ end: signal, ...all })
  }
})

test('lets another listener of the signal decide', () => {
  const { released, ...rest } = ended('listened', 'SIGTERM')
  expect(released).toEqual(['listened', ...all.released])
  expect(rest).toEqual({ end: 4, faults: all.faults })
})
