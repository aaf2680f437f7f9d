import { expect, test } from 'bun:test'
import { repositoryAddress } from '../../../src/source/git/address.ts'

function check(text: string, url: string | null, directory: string | null = null): void {
  expect(repositoryAddress(text)).toEqual(url === null ? null : { url, directory })
}

test('converts every form of a repository URL in metadata to a web URL', () => {
  check('git+https://github.com/o/r.git', 'https://github.com/o/r.git')
  check('git://github.com/o/r.git', 'https://github.com/o/r.git')
  check('git+ssh://git@github.com/o/r.git', 'https://github.com/o/r.git')
  check('ssh://git@gitlab.com:22/g/s/r.git', 'https://gitlab.com/g/s/r.git')
  check('git@bitbucket.org:o/r.git', 'https://bitbucket.org/o/r.git')
  check('github:o/r', 'https://github.com/o/r')
  check('gitlab:o/r', 'https://gitlab.com/o/r')
  check('o/r', 'https://github.com/o/r')
  check('github.com/o/r', 'https://github.com/o/r')
  check('https://code.example.org/x', 'https://code.example.org/x')
  check('https://github.com/o/r#readme', 'https://github.com/o/r')
  check('https://github.com/o/r/tree/main/packages/x', 'https://github.com/o/r.git', 'packages/x')
  check('https://github.com/o/r/issues', 'https://github.com/o/r')
})

test('rejects text that has no host or that git could run', () => {
  for (const text of ['', 'ext::sh -c x', 'file:///etc', '/etc', '--upload-pack=x', 'r', 'x y z']) {
    check(text, null)
  }
})
