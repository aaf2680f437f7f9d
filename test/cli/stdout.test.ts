import { expect, test } from 'bun:test'
import { closeSync, openSync } from 'node:fs'
import {
  failingStdout,
  isClosedDescriptor,
  isClosedPipe,
  outputError,
} from '../../src/cli/stdout.ts'

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
