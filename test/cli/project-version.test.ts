import { expect, test } from 'bun:test'
import { projectPins } from '../../src/cli/project-version.ts'
import { openTerminal } from '../../src/cli/terminal.ts'
import { chunks, sink } from '../support/run-og.ts'

test('reads no file if a version is given', async () => {
  const terminal = openTerminal({ stdin: chunks(''), stdout: sink(), stderr: sink() }, {})
  const context = {
    env: {},
    terminal,
    openOg: () => Promise.reject(new Error('nothing is opened')),
    guardSignals: () => Promise.reject(new Error('nothing is opened')),
    interruption: () => new AbortController().signal,
    gracefulStop: () => new AbortController().signal,
  }
  expect(await projectPins(context, '1.0')).toEqual({ pins: [], warnings: [] })
})
