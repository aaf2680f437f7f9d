import { expect, test } from 'bun:test'
import { waitNotifier, renderProgress, showProgress } from '../../src/cli/progress.ts'
import { openTerminal } from '../../src/cli/terminal.ts'
import { noProgress as none, type AddProgress } from '../../src/library/library.ts'
import { chunks, sink } from '../support/run-og.ts'
import { until } from '../support/until.ts'

function check(progress: Partial<AddProgress>, seconds: number, expected: string): void {
  expect(renderProgress({ ...none, ...progress }, seconds)).toBe(expected)
}

test('renders each phase of a command', () => {
  check({}, 0, 'looking up the version')
  check({ phase: 'waiting' }, 0, 'waiting for another og that writes it')
  check({ phase: 'fetching', pages: 144 }, 0, 'fetching, 144 pages')
  check(
    { phase: 'embedding', pages: 144, chunks: 1300, toEmbed: 1210, embedded: 310 },
    10,
    'embedding, 144 pages, 310 of 1,210 chunks, 31 chunks/s, 30 s left',
  )
  check(
    { phase: 'embedding', pages: 9000, chunks: 90_000, toEmbed: 90_000, embedded: 50 },
    10,
    'embedding, 9,000 pages, 50 of 90,000 chunks, 5.0 chunks/s, 300 min left',
  )
  check({ phase: 'indexing', pages: 2, chunks: 5 }, 0, 'indexing, 2 pages, 5 chunks')
})

test('prints progress lines occasionally in a pipe, and immediately while waiting', async () => {
  const stderr = sink()
  const streams = { stdin: chunks(''), stdout: sink(), stderr }
  {
    using line = showProgress(openTerminal(streams, {}), { label: 'lib', plainMs: 20 })
    await until('a line is written', () => stderr.text() !== '')
    expect(stderr.text()).toStartWith('lib: starting\n')
    line.report({ ...none, phase: 'waiting' })
    line.report({ ...none, phase: 'waiting' })
    expect(stderr.text().match(/waiting/g)).toHaveLength(1)
    line.report({ ...none, phase: 'fetching', pages: 3 })
    await until('a line is written', () => stderr.text().includes('fetching'))
  }
  const lines = stderr.text().split('\n').slice(0, -1)
  expect(new Set(lines)).toEqual(
    new Set([
      'lib: starting',
      'lib: waiting for another og that writes it',
      'lib: fetching, 3 pages',
    ]),
  )
})

test('tells the user what to do about another writer', () => {
  const told: string[] = []
  const wait = waitNotifier({ note: (_kind, line) => void told.push(line) }, 'zoo')
  expect(told).toEqual([])
  wait()
  expect(told[0]).toContain('"og jobs zoo --stop" ends one in the background')
})

test('reports waiting once in a pipe, and then occasionally with the elapsed time', async () => {
  const stderr = sink()
  const streams = { stdin: chunks(''), stdout: sink(), stderr }
  using line = showProgress(openTerminal(streams, {}), {
    label: 'lib',
    plainMs: 5,
    waitingMs: 1_050,
  })
  line.report({ ...none, phase: 'waiting' })
  await until('it is told again', () => stderr.text().split('\n').length > 2)
  expect(stderr.text().trimEnd().split('\n').slice(-2)).toEqual([
    'lib: waiting for another og that writes it',
    expect.stringMatching(/^lib: waiting for another og that writes it \([1-9]\d* s\)$/),
  ])
})
