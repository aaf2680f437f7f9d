/**
 * Acquires a lock, reports that and keeps it: `lock-holder.ts exclusive|shared PATH [TIMEOUT_MS]`.
 */
import { lockExclusive, tryLockShared } from '../../../src/platform/lock.ts'

const [kind, path = '', timeoutMs = '0'] = process.argv.slice(2)
try {
  const lock =
    kind === 'shared'
      ? tryLockShared(path)
      : await lockExclusive(path, {
          timeoutMs: Number(timeoutMs),
          what: 'library "a" version "1"',
          onWait: () => process.stdout.write('waiting\n'),
        })
  process.stdout.write(lock === null ? 'none\n' : 'locked\n')
  // The timer keeps a reference, because a lock is released when it is garbage-collected.
  setTimeout(() => lock?.[Symbol.dispose](), 60_000)
} catch (error) {
  const { message, hint = '' } = error as { message: string; hint?: string }
  process.stdout.write(`${message}\n${hint}\n`)
}
