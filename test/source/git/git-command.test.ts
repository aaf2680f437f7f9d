import { describe, expect, test } from 'bun:test'
import { gitError } from '../../../src/source/git/git-command.ts'

describe("W-24 reports git's error in one line", () => {
  const check = (stderr: string, expected: string, url = 'https://x.org/ssl/r.git') =>
    test(stderr, () => expect(gitError(url, stderr).message).toBe(`Cannot read ${expected}`))

  const ours = 'https://x.org/ssl/r.git'
  check(`fatal: repository '${ours}/' not found`, `${ours}: there is no such repository`)
  check(
    `fatal: unable to access '${ours}/': The requested URL returned error: 403`,
    `${ours}: the server asks for credentials`,
  )
  check(
    `fatal: unable to access '${ours}/': SSL certificate problem: expired`,
    `${ours}: the server cannot be reached, or closed the connection`,
  )
  check(
    `fatal: unable to access '${ours}/': Could not resolve host: x.org`,
    `${ours}: the server cannot be reached, or closed the connection`,
  )
  check(
    'git@x.org: Permission denied (publickey).\nfatal: Could not read from remote repository.',
    `${ours}: the server asks for credentials`,
  )
  check(
    'ERROR: Repository not found.\nfatal: Could not read from remote repository.',
    `${ours}: there is no such repository`,
  )
  check(
    'Host key verification failed.\nfatal: Could not read from remote repository.',
    `${ours}: the host key is not known`,
  )
  check('warning: x\nfatal: bad object abc\nfatal: more', `${ours}: bad object abc`)
  const here = 'file:///r'
  const lacking = `${here}: the repository lacks objects of that version`
  for (const said of [
    'remote: fatal: unable to read abc\nfatal: early EOF',
    'fatal: the remote end hung up unexpectedly',
    'fatal: git upload-pack: not our ref abc',
    'fatal: git-pack-objects died with error.',
    'remote: error: could not fetch abc from promisor remote',
  ])
    check(said, lacking, here)
  check(
    "fatal: '/r' does not appear to be a git repository",
    `${here}: there is no such repository`,
    here,
  )
  check('', `${ours}: git failed`)
  check(
    'fatal: x https://u:secret@x.org/r y',
    'https://x.org/r: x https://x.org/r y',
    'https://u:secret@x.org/r',
  )
  check('fatal: x', 'https://x.org/r: x', 'https://token@x.org/r')
  check('fatal: x', 'ssh://git@x.org/r: x', 'ssh://git@x.org/r')
})
