import { expect, test } from 'bun:test'
import {
  openTerminal,
  failingStdout,
  isClosedDescriptor,
  isClosedPipe,
  outputError,
  confirm,
} from '../../src/cli/terminal.ts'
import { chunks, sink } from '../support/run-og.ts'
import { closeSync, openSync } from 'node:fs'

function open(tty: boolean, env: Record<string, string> = {}, stdin = '') {
  const stdout = sink(tty)
  const stderr = sink(tty)
  const input = Object.assign(chunks(stdin), { isTTY: tty })
  return { terminal: openTerminal({ stdin: input, stdout, stderr }, env), stdout, stderr }
}

const hostile = 'a\x1b[31mred\x1b]0;title\x07\r\x9b2J\x00\x7f\tb\nc'

test('escapes control characters on a terminal and in a pipe', async () => {
  const escaped = 'a\\u001b[31mred\\u001b]0;title\\u0007\\u000d\\u009b2J\\u0000\\u007f\tb\nc'
  for (const tty of [true, false]) {
    const { terminal, stdout } = open(tty)
    await terminal.write(hostile)
    expect(stdout.text()).toBe(escaped)
  }
})

async function checkNote(tty: boolean, env: Record<string, string>, expected: string) {
  const { terminal, stdout, stderr } = open(tty, env)
  terminal.note('error', 'no \x1b[1mway')
  await terminal.flush()
  expect(stderr.text()).toBe(expected)
  expect(stdout.text()).toBe('')
}

test('prints colours if the terminal supports them or an option forces them', async () => {
  const coloured = '\x1b[31merror:\x1b[0m no \\u001b[1mway\n'
  await checkNote(true, {}, coloured)
  await checkNote(true, { NO_COLOR: '1' }, 'error: no \\u001b[1mway\n')
  await checkNote(true, { NO_COLOR: '' }, coloured)
  await checkNote(true, { TERM: 'dumb' }, 'error: no \\u001b[1mway\n')
  await checkNote(true, { FORCE_COLOR: '0' }, 'error: no \\u001b[1mway\n')
  await checkNote(false, {}, 'error: no \\u001b[1mway\n')
  await checkNote(false, { FORCE_COLOR: '1' }, '\x1b[31merror:\x1b[0m no \\u001b[1mway\n')
})

test('rewrites the status line on a terminal and omits it elsewhere', () => {
  const live = open(true, { NO_COLOR: '1' })
  live.terminal.showStatus('one')
  live.terminal.note('plain', 'note')
  live.terminal.showStatus('')
  expect(live.stderr.text()).toBe('\r\x1b[Kone\r\x1b[Knote\n\r\x1b[Kone\r\x1b[K')
  const piped = open(false)
  piped.terminal.showStatus('one')
  expect(piped.stderr.text()).toBe('')
})

test('removes the status line before it prints data on a terminal', async () => {
  const screen = sink(true)
  const streams = { stdin: chunks(''), stdout: screen, stderr: screen }
  const terminal = openTerminal(streams, {})
  terminal.showStatus('zod: fetching')
  await terminal.write('zod 4: unchanged\n')
  await terminal.show([[{ text: 'shown' }]])
  expect(screen.text()).toBe('\r\x1b[Kzod: fetching\r\x1b[Kzod 4: unchanged\nshown\n')
})

test('reads lines of stdin that arrive in pieces', async () => {
  const { terminal } = open(false, {}, 'eins\r\nzwei ä😀\n\nlast')
  expect(await Array.fromAsync(terminal.lines())).toEqual(['eins', 'zwei ä😀', '', 'last'])
})

test('accepts only y or yes', async () => {
  const answers = { 'y\n': true, 'YES\n': true, 'yesterday\n': false, '\n': false, '': false }
  for (const [typed, expected] of Object.entries(answers)) {
    expect(await open(true, {}, typed).terminal.ask('Delete?')).toBe(expected)
  }
})

test('asks for a line of text and returns it', async () => {
  const typed = open(true, { NO_COLOR: '1' }, ' second \nmore\n')
  expect(await typed.terminal.askText('Name?')).toBe('second')
  expect(typed.stderr.text()).toBe('Name? ')
  expect(await open(true, {}, '').terminal.askText('Name?')).toBe('')
})

test('rejects stdin that is not UTF-8', async () => {
  async function check(bytes: number[], expected: string) {
    const { stdout, stderr } = open(false)
    const stdin = (async function* () {
      for (const byte of bytes) yield Uint8Array.of(byte)
    })()
    const { input } = openTerminal({ stdin, stdout, stderr }, {})
    expect(await input().catch((error: Error) => error.message)).toBe(expected)
  }
  await check([0x77, 0xc3, 0xb6], 'wö')
  await check([0x77, 0xff], 'Cannot read stdin: it is not UTF-8 text')
})

test('escapes bidirectional control characters on a terminal and in a pipe', async () => {
  const turned = 'invoice\u202etxt.exe \u2066in\u2069 \u05e9\u05dc\u05d5\u05dd'
  const shown = 'invoice\\u202etxt.exe \\u2066in\\u2069 \u05e9\u05dc\u05d5\u05dd'
  for (const tty of [true, false]) {
    const stdout = sink(tty)
    const terminal = openTerminal({ stdin: chunks(''), stdout, stderr: sink() }, {})
    await terminal.write(turned)
    expect(stdout.text()).toBe(shown)
  }
})

test('reports a failing stdout, unless a pipe was closed', async () => {
  const refusing = (code: string) => {
    const write = (_: string, written: (error: Error) => void) =>
      written(Object.assign(new Error(`${code}: refused`), { code }))
    const input = Object.assign(chunks(''), { isTTY: false })
    return openTerminal({ stdin: input, stdout: { write }, stderr: { write } }, {})
  }
  await expect(refusing('ENOSPC').write('x')).rejects.toThrow('to stdout: the disk is full')
  await expect(refusing('EIO').write('x')).rejects.toThrow('to stdout: EIO: refused')
  await refusing('EPIPE').write('x')
  const terminal = refusing('ENOSPC')
  terminal.note('error', 'said to nobody')
  await terminal.flush()
})

const failure = (code: string) => Object.assign(new Error('write failed'), { code })

test('explains why the output could not be written', () => {
  expect(outputError(failure('ENOSPC')).message).toBe('Cannot write to stdout: the disk is full')
  expect(outputError(failure('EIO')).message).toBe('Cannot write to stdout: write failed')
  expect([isClosedPipe(failure('EPIPE')), isClosedPipe(failure('EIO'))]).toEqual([true, false])
})

test('detects a closed stdout that Bun has replaced with a stream of its own', () => {
  const own = openSync('/dev/null', 'w')
  expect([isClosedDescriptor(1), isClosedDescriptor(own), isClosedDescriptor(9_999)]).toEqual([
    false,
    true,
    false,
  ])
  closeSync(own)
  let code = ''
  failingStdout.write('a', (error) => (code = (error as NodeJS.ErrnoException).code ?? ''))
  expect(code).toBe('EBADF')
})

async function check(given: { tty: boolean; typed: string; yes: boolean }, expected: boolean) {
  const stderr = sink(given.tty)
  const stdin = Object.assign(chunks(given.typed), { isTTY: given.tty })
  const terminal = openTerminal({ stdin, stdout: sink(given.tty), stderr }, {})
  expect(await confirm(terminal, { what: 'delete it', yes: given.yes })).toBe(expected)
  return stderr.text()
}

test('proceeds with --yes or after confirmation', async () => {
  expect(await check({ tty: false, typed: '', yes: true }, true)).toBe('')
  expect(await check({ tty: true, typed: 'y\n', yes: false }, true)).toBe('Delete it? [y/N] ')
  expect(await check({ tty: true, typed: 'n\n', yes: false }, false)).toContain('Nothing was')
  const unasked = check({ tty: false, typed: 'y\n', yes: false }, true)
  await expect(unasked).rejects.toThrow('Cannot ask whether to delete it: this is not a terminal')
})
