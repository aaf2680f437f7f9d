import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'
import { readDependencies } from '../../src/version/dependency.ts'
import { writeFiles, type Files } from '../support/repository.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'

let temp: TempFolder
beforeEach(async () => {
  temp = await createTempFolder('og-dependency')
})
afterEach(async () => temp[Symbol.asyncDispose]())

async function check(files: Files, expected: string[]): Promise<void> {
  writeFiles(temp.path, files)
  const { dependencies, warnings } = await readDependencies(temp.path, '/nowhere')
  expect(
    dependencies.map(
      ({ registry, name, named, file, isDev }) =>
        `${registry}:${name} ${named} ${file}${isDev ? ' dev' : ''}`,
    ),
  ).toEqual(expected)
  expect(warnings).toEqual([])
}

test('returns direct dependencies in the versions of the lock file', async () => {
  await check(
    {
      'package.json': JSON.stringify({
        dependencies: { zod: '^4', left: '1.x' },
        devDependencies: { tsx: '^4' },
      }),
      'package-lock.json': JSON.stringify({
        packages: {
          'node_modules/zod': { version: '4.1.0' },
          'node_modules/tsx': { version: '4.2.0' },
          'node_modules/of-others': { version: '1.0.0' },
        },
      }),
      'pyproject.toml': '[project]\ndependencies = ["Flask-Login>=0.6"]\n',
      'uv.lock':
        '[[package]]\nname = "flask-login"\nversion = "0.6.3"\n[[package]]\nname = "flask"\nversion = "3.0.0"\n',
      'go.mod':
        'module x.example/y\n\nrequire (\n\tgithub.com/spf13/cobra v1.8.1\n' +
        '\tgithub.com/spf13/pflag v1.0.5 // indirect\n)\n',
    },
    [
      'npm:zod 4.1.0 package-lock.json',
      'npm:left 1.x package.json',
      'npm:tsx 4.2.0 package-lock.json dev',
      'pypi:Flask-Login 0.6.3 uv.lock',
      'go:github.com/spf13/cobra v1.8.1 go.mod',
    ],
  )
})

test('returns the locked version that the manifest allows, from a lock file above', async () => {
  const crate = (name: string, version: string) =>
    `[[package]]\nname = "${name}"\nversion = "${version}"\n`
  writeFiles(temp.path, {
    '.git/HEAD': '',
    'Cargo.lock': ['0.21.7', '0.22.1'].map((it) => crate('base64', it)).join(''),
    'app/Cargo.toml': '[dependencies]\nbase64 = "0.22"\n',
  })
  const { dependencies } = await readDependencies(join(temp.path, 'app'), '/nowhere')
  expect(dependencies).toMatchObject([{ name: 'base64', named: '0.22.1', file: '../Cargo.lock' }])
})

test('returns the dependencies of the members of a workspace, without the members', async () => {
  await check(
    {
      'package.json': '{"devDependencies": {"tsx": "^4", "zod": "catalog:"}}',
      'pnpm-workspace.yaml': 'packages:\n  - "packages/*"\ncatalog:\n  zod: ^4\n',
      'pnpm-lock.yaml':
        "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    devDependencies:\n      tsx:\n" +
        '        specifier: ^4\n        version: 4.2.0\n\n  packages/ui:\n    dependencies:\n' +
        "      zod:\n        specifier: 'catalog:'\n        version: 4.1.0\n\npackages:\n",
      'packages/ui/package.json':
        '{"name": "@me/ui", "dependencies": {"zod": "catalog:", "@me/base": "^1"}}',
      'packages/base/package.json': '{"name": "@me/base", "dependencies": {"left": "1.0.0"}}',
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
      'Cargo.lock': '[[package]]\nname = "serde"\nversion = "1.0.228"\n',
      'crates/a/Cargo.toml':
        '[package]\nname = "a"\n[dependencies]\nserde = "1"\nb = { path = "../b", version = "1" }\n' +
        '[dev-dependencies]\nanyhow = "1"\n',
      'crates/b/Cargo.toml':
        '[package]\nname = "b"\n[target."cfg(unix)".dependencies]\n' +
        'new = { package = "libc", version = "0.2" }\n',
    },
    [
      'npm:tsx 4.2.0 pnpm-lock.yaml dev',
      'npm:zod 4.1.0 pnpm-lock.yaml',
      'crates:serde 1.0.228 Cargo.lock',
      'crates:anyhow ^1 crates/a/Cargo.toml dev',
      'crates:libc ^0.2 crates/b/Cargo.toml',
      'npm:left 1.0.0 packages/base/package.json',
    ],
  )
})

test('reads many dependencies in one pass', async () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `package-${i}`)
  await check(
    { 'pyproject.toml': `[project]\ndependencies = ${JSON.stringify(names)}\n` },
    names.map((name) => `pypi:${name} * pyproject.toml`),
  )
})

test('returns Python dependencies that have no version range, and test-only ones', async () => {
  await check(
    {
      'pyproject.toml': `[project]
dependencies = ["httpx>=0.27,<0.28", "pydantic-settings", "tenacity"]
[project.optional-dependencies]
redis = ["redis"]
dev = ["pytest", "tenacity"]
[dependency-groups]
lint = ["ruff>=0.6", {include-group = "dev"}]
[tool.poetry.dependencies]
python = "^3.11"
`,
      'uv.lock': '[[package]]\nname = "tenacity"\nversion = "9.1.2"\n',
    },
    [
      'pypi:httpx >=0.27,<0.28 pyproject.toml',
      'pypi:pydantic-settings * pyproject.toml',
      'pypi:tenacity 9.1.2 uv.lock',
      'pypi:redis * pyproject.toml',
      'pypi:pytest * pyproject.toml dev',
      'pypi:ruff >=0.6 pyproject.toml dev',
    ],
  )
})

test('returns no versions outside a project', () => check({ 'a.md': '# A' }, []))

test('reads the files of Bundler, Composer, Mix, NuGet and Maven', async () => {
  await check(
    {
      'Gemfile.lock':
        'GEM\n  remote: https://gems.example/\n  specs:\n    rack (3.0.8)\n      webrick (>= 1)\n' +
        '    nokogiri (1.16.0-x86_64-linux)\n    webrick (1.8.1)\n\n' +
        'DEPENDENCIES\n  rack (~> 3.0)\n  nokogiri\n\nBUNDLED WITH\n   2.5.0\n',
    },
    ['rubygems:rack 3.0.8 Gemfile.lock', 'rubygems:nokogiri 1.16.0 Gemfile.lock'],
  )
  writeFiles(temp.path, { 'Gemfile.lock': 'GEM\n' })
  await check(
    {
      'composer.json': JSON.stringify({
        require: { php: '>=8', 'monolog/monolog': '^3.0' },
        'require-dev': { 'phpunit/phpunit': '^11' },
      }),
      'composer.lock': JSON.stringify({
        packages: [
          { name: 'monolog/monolog', version: '3.5.0' },
          { name: 'psr/log', version: '3' },
        ],
        'packages-dev': [{ name: 'phpunit/phpunit', version: '11.0.1' }],
      }),
      'mix.exs':
        'defp deps do\n[{:phoenix, "~> 1.7"},\n {:credo, "~> 1.7", only: [:dev, :test]},\n' +
        ' {:local, path: "x"}]\nend\n',
      'mix.lock': '%{\n  "phoenix": {:hex, :phoenix, "1.7.10", "abc", [:mix], []},\n}\n',
      'packages.lock.json': JSON.stringify({
        dependencies: {
          'net8.0': {
            Serilog: { type: 'Direct', resolved: '3.1.1' },
            Other: { type: 'Transitive', resolved: '1.0.0' },
          },
        },
      }),
      'pom.xml':
        '<project><properties><gson.version>2.11.0</gson.version></properties>' +
        '<dependencyManagement><dependencies><dependency><groupId>no</groupId>' +
        '<artifactId>no</artifactId></dependency></dependencies></dependencyManagement>' +
        '<dependencies><!-- <dependency> --><dependency><groupId>com.google</groupId>' +
        '<artifactId>gson</artifactId><version>${gson.version}</version></dependency>' +
        '<dependency><groupId>org.junit</groupId><artifactId>junit</artifactId>' +
        '<scope>test</scope></dependency></dependencies></project>',
    },
    [
      'packagist:monolog/monolog 3.5.0 composer.lock',
      'packagist:phpunit/phpunit 11.0.1 composer.lock dev',
      'hex:phoenix 1.7.10 mix.lock',
      'hex:credo ~> 1.7 mix.exs dev',
      'nuget:Serilog 3.1.1 packages.lock.json',
      'maven:com.google:gson 2.11.0 pom.xml',
      'maven:org.junit:junit * pom.xml dev',
    ],
  )
})

test('reads the lock file, the catalog and the scripts of Gradle', async () => {
  await check(
    {
      'gradle.lockfile':
        '# This is a Gradle generated file for dependency locking.\n' +
        'com.google.code.gson:gson:2.11.0=compileClasspath,runtimeClasspath\n' +
        'com.squareup.okio:okio:3.9.0=runtimeClasspath\nempty=annotationProcessor\n',
      'gradle/libs.versions.toml':
        '[versions]\nokhttp = "4.12.0"\nlamp = { strictly = "[1,2[", prefer = "1.5" }\n' +
        '[libraries]\nokhttp = { module = "com.squareup:okhttp", version.ref = "okhttp" }\n' +
        'lamp = { group = "org.lamp", name = "lamp", version.ref = "lamp" }\n' +
        'wick = "org.lamp:wick:2.0"\n[plugins]\nkotlin = "org.kotlin:1.9"\n',
      'build.gradle.kts':
        'dependencies {\n    implementation("com.google.code.gson:gson:2.+")\n' +
        '    api(libs.okhttp)\n    implementation(platform("org.bom:bom:1"))\n' +
        '    testImplementation("org.junit:junit:5.11.0")\n' +
        '    // runtimeOnly("org.lamp:old:1")\n}\n',
      'build.gradle': "testImplementation 'org.lamp:glass:1.0'\nimplementation 'org.lamp:glass'\n",
    },
    [
      'maven:com.squareup:okhttp 4.12.0 gradle/libs.versions.toml',
      'maven:org.lamp:lamp * gradle/libs.versions.toml',
      'maven:org.lamp:wick 2.0 gradle/libs.versions.toml',
      'maven:org.lamp:glass 1.0 build.gradle',
      'maven:com.google.code.gson:gson 2.11.0 gradle.lockfile',
      'maven:org.junit:junit 5.11.0 build.gradle.kts dev',
    ],
  )
})

for (const [file, text] of [
  ['gradle.lockfile', `a:b:${'c:'.repeat(1_000_000)}`],
  ['build.gradle', `${'api'.repeat(300_000)}\n`],
  ['pom.xml', `<project>${'<!--<build><dependency>'.repeat(80_000)}`],
  ['mix.lock', '\n'.repeat(300_000)],
  ['go.mod', `module a\nrequire b.c/d v1.0.0\n${'\n'.repeat(300_000)}`],
] as const) {
  test(`reads a hostile ${file} in linear time`, async () => {
    writeFiles(temp.path, { [file]: text })
    const started = usedCpuMs()
    await readDependencies(temp.path, '/nowhere')
    expect(usedCpuMs() - started).toBeLessThan(2000)
  })
}
