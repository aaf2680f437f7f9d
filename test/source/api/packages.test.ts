import { expect, test } from 'bun:test'
import { findPackages } from '../../../src/source/api/packages.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

/** Maps the root and name of each package among `paths` to its files. */
function check(paths: string[], names: string[], expected: Record<string, string[]>) {
  const packages = findPackages(paths, names)
  expect(Object.fromEntries(packages.map((it) => [`${it.root}[${it.name}]`, it.files]))).toEqual(
    expected,
  )
}

test('finds the package with the name of the source', () => {
  check(
    [
      'lamp/__init__.py',
      'lamp/wick/__init__.py',
      'lamp/wick/oil.py',
      'bench/__init__.py',
      'tests/__init__.py',
      'docs_src/a.py',
      'pyproject.toml',
    ],
    ['Lamp'],
    { '[lamp]': ['lamp/__init__.py', 'lamp/wick/__init__.py', 'lamp/wick/oil.py'] },
  )
})

test('finds packages next to a manifest or below src', () => {
  check(
    ['libs/a/setup.py', 'libs/a/src/a/__init__.py', 'libs/b/b/__init__.py', 'tool.py'],
    ['lamps'],
    { 'libs/a/src/[a]': ['libs/a/src/a/__init__.py'] },
  )
})

test('finds the packages and modules of a wheel', () => {
  check(['six.py', 'six-1.dist-info/METADATA'], ['pypi-name'], { '[six]': ['six.py'] })
  check(['a/__init__.py', 'a-1.dist-info/METADATA', 'a/tests/__init__.py'], [], {
    '[a]': ['a/__init__.py'],
  })
  check(['b/__init__.py', 'name/space/c.py', 'd_e-1.dist-info/METADATA'], ['d-e'], {
    '[d_e]': ['b/__init__.py', 'name/space/c.py'],
  })
})

test('keeps folders named after tools and tests that are modules of a package', () => {
  const files = ['a/__init__.py', 'a/test/__init__.py', 'a/test/client.py', 'a/tools/__init__.py']
  const tests = ['a/tests/__init__.py', 'a/build/__init__.py', 'a/build/test_a.py', 'tools/b.py']
  check(['a-1.dist-info/METADATA', ...files, ...tests], [], { '[a]': files })
  check(['pyproject.toml', ...files, ...tests], ['a'], { '[a]': files })
})

test('finds no packages in a repository of documents', () => {
  check(['README.md', 'examples/app/__init__.py', 'main.py'], ['docs'], {})
})

test('finds npm packages, with all files below them', () => {
  check(
    [
      'package.json',
      'src/a.ts',
      'packages/lamp/package.json',
      'packages/lamp/dist/package.json',
      'packages/lamp/dist/a.d.ts',
      'packages/oil/package.json',
      'test/a.ts',
      'node_modules/b/package.json',
    ],
    ['lamp'],
    {
      '[lamp]': ['packages/lamp/dist/a.d.ts', 'src/a.ts'],
      'packages/lamp/[lamp]': ['packages/lamp/dist/a.d.ts'],
    },
  )
})

test('assigns each Go file to the nearest go.mod', () => {
  const top = 'example.org/lamp@v1.2.0'
  check(
    [`${top}/go.mod`, `${top}/a.go`, `${top}/oil/go.mod`, `${top}/oil/b.go`, 'other.go'],
    ['example.org/lamp', 'lamp'],
    { [`${top}/[lamp]`]: [`${top}/a.go`] },
  )
})

test('assigns to a crate its own files, and the files of crates whose names extend its name', () => {
  const paths = [
    'Cargo.toml',
    'lamp/Cargo.toml',
    'lamp/src/lib.rs',
    'lamp/tests/a.rs',
    'lamp_core/Cargo.toml',
    'lamp_core/src/lib.rs',
    'lampshade/Cargo.toml',
    'lampshade/src/lib.rs',
  ]
  check(paths, ['lamp'], { '[lamp]': ['lamp/src/lib.rs', 'lamp_core/src/lib.rs'] })
  const archive = [
    'Cargo.toml',
    'src/lib.rs',
    'lamp_core-1.0.2/Cargo.toml',
    'lamp_core-1.0.2/src/lib.rs',
  ]
  const [lamp, ...others] = findPackages(archive, ['lamp-1.0.0.tar.gz'])
  expect([lamp!.files, others]).toEqual([['src/lib.rs', 'lamp_core-1.0.2/src/lib.rs'], []])
  expect(findPackages(paths, ['lamp'])[0]).toMatchObject({
    folder: 'lamp/',
    manifest: 'lamp/Cargo.toml',
  })
})

test('finds Java modules in a repository and in a source archive', () => {
  check(
    ['core/src/main/java/a/A.java', 'core/src/test/java/a/T.java', 'it/src/main/java/b/B.java'],
    ['lamp'],
    { 'core/src/main/java/[core]': ['core/src/main/java/a/A.java'] },
  )
  check(['META-INF/MANIFEST.MF', 'a/A.java', 'module-info.java'], ['x:lamp'], {
    '[x:lamp]': ['a/A.java'],
  })
})

test('finds ten thousand packages of each language in linear time', () => {
  const paths = Array.from({ length: 10_000 }, (_, i) => [
    `p/a${i}/setup.py`,
    `p/a${i}/a/__init__.py`,
    `p/b${i}/package.json`,
    `p/b${i}/b.ts`,
    `p/c${i}/go.mod`,
    `p/c${i}/c.go`,
    `p/d-${i}/Cargo.toml`,
    `p/d-${i}/src/lib.rs`,
  ]).flat()
  const start = usedCpuMs()
  expect(findPackages(paths, ['none'])).not.toBeEmpty()
  expect(usedCpuMs() - start).toBeLessThan(5000)
})

test('finds projects of Elixir and C#, without their tests', () => {
  check(['mix.exs', 'lib/a.ex', 'test/b.ex', 'lib/mix/c.ex', 'src/d.ex'], ['lamp'], {
    '[lamp]': ['lib/a.ex', 'lib/mix/c.ex'],
  })
  const csharp = (name: string) => [`src/${name}/${name}.csproj`, `src/${name}/A.cs`]
  const names = ['Acme', 'Acme.Core', 'Acme.Tests', 'AcmeTests', 'Other']
  check(names.flatMap(csharp), ['Acme'], {
    'src/Acme/[Acme]': ['src/Acme/A.cs'],
    'src/Acme.Core/[Acme.Core]': ['src/Acme.Core/A.cs'],
  })
})

test('finds the headers of a source without other packages', () => {
  const headers = ['lib/include/lamp/a.h', 'lib/src/b.h', 'deps/c.h', 'tests/d.h']
  check(headers, ['lamp'], { 'lib/include/[lamp]': ['lib/include/lamp/a.h'] })
  check(['a.h', 'src/b.h', 'contrib/c.h', 'a.c'], ['lamp'], { '[lamp]': ['a.h', 'src/b.h'] })
  check(['go.mod', 'a.go', 'include/a.h'], ['lamp'], { '[]': ['a.go'] })
  check(['a.h', 'contrib/net/net.csproj', 'contrib/net/A.cs'], ['lamp'], { '[lamp]': ['a.h'] })
})

test('finds gems and Composer packages, also gems without a gemspec', () => {
  const gem = ['lib/lamp-oil.rb', 'lib/lamp/oil.rb', 'lib/lamp/oil/can.rb']
  check([...gem, 'spec/a_spec.rb', 'lamp-oil.gemspec', 'bin/lamp.rb'], ['x'], { '[x]': gem })
  check([...gem, 'spec/a_spec.rb'], ['lamp-oil-1.2.0'], { '[lamp-oil-1.2.0]': gem })
  check(gem, ['x'], {})
  check(
    ['composer.json', 'src/Lamp.php', 'tests/LampTest.php', 'vendor/a/b/src/B.php'],
    ['acme-lamp'],
    { '[acme-lamp]': ['src/Lamp.php'] },
  )
})
