import { expect, test } from 'bun:test'
import { noteVersion, projectPins } from '../../src/cli/project-version.ts'
import { openTerminal } from '../../src/cli/terminal.ts'
import { chunks, sink } from '../support/run-og.ts'

test('one line says which version was taken and which file names it', () => {
  const err = sink()
  const terminal = openTerminal({ stdin: chunks(''), stdout: sink(), stderr: err }, {})
  const from = { library: 'react', version: '18.3.1', named: '18.2.0', file: 'package-lock.json' }
  noteVersion(terminal, { ...from, package: 'react' })
  noteVersion(terminal, { ...from, package: 'react-dom' })
  expect(err.text()).toBe(
    'Version 18.3.1 of react: package-lock.json names 18.2.0.\n' +
      'Version 18.3.1 of react: package-lock.json names react-dom 18.2.0.\n',
  )
})

test('a version that was typed needs no file', async () => {
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
