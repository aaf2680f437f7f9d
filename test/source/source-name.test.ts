import { expect, test } from 'bun:test'
import { detectSource } from '../../src/source/detect.ts'
import { looksLikeSource, nameOfSource } from '../../src/source/source-name.ts'
import type { Source } from '../../src/store/source.ts'

test('recognises URLs and paths as sources, but not names', () => {
  for (const typed of [
    'https://github.com/pallets/click',
    'file:///srv/docs',
    './notes',
    '../notes',
    '.',
    '~/notes',
    '/srv/docs',
    'git@host.example:team/handbook',
    'github.com/pallets/click',
    'ssh://h/x.git',
    'npm:zod',
    'go:github.com/spf13/cobra',
  ])
    expect([typed, looksLikeSource(typed)]).toEqual([typed, true])
  for (const typed of ['fastapi', '@scope/pkg', 'socket.io', 'next.js', 'a-b_c', 'numpy@1.2']) {
    expect([typed, looksLikeSource(typed)]).toEqual([typed, false])
  }
})

function check(typed: string, name: string | null): void {
  const options = { docsPaths: [], cwd: '/', home: '/' }
  expect([typed, nameOfSource(detectSource(typed, options).source)]).toEqual([typed, name])
}

test('derives the name from a package', () => {
  check('npm:@scope/name@1', '@scope/name')
  check('go:github.com/spf13/cobra', 'cobra')
})

test('derives the name from a repository or a site', () => {
  check('https://github.com/pallets/click', 'click')
  check('https://github.com/pallets/Flask-SQLAlchemy/tree/main/docs', 'flask-sqlalchemy')
  check('git@host.example:team/handbook.git', 'handbook')
  check('https://docs.example.org/', 'example')
  check('https://fastapi.tiangolo.com/sitemap.xml', 'fastapi')
  check('https://requests.readthedocs.io/en/latest/sitemap.xml', 'requests')
  check('https://someone.github.io/project/docs/', 'project')
  check('http://127.0.0.1:8000/sitemap.xml', null)
  check('https://example.org/lamp-docs-1.2.0.tar.gz', 'lamp-docs')
})

test('derives the name from a folder, or from its parent', () => {
  const named = (path: string) => nameOfSource({ kind: 'local_path', path } as Source)
  expect(named('/srv/me/handbook')).toBe('handbook')
  expect(named('/srv/me/Lamp Kit/docs/en')).toBe('lamp-kit')
  expect(named('/docs')).toBeNull()
})
