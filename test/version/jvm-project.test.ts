import { expect, test } from 'bun:test'
import { gradleBuild, gradleCatalog, gradleLock } from '../../src/version/jvm-project.ts'

test('reads plain entries of a build script, without versions that code computes', () => {
  const script = `dependencies {
    implementation 'com.example:lamp:1.2@aar'
    kapt("com.example:glass:1.0")
    androidTestImplementation ("com.example:wick:$wick")
    debugApi "com.example:oil"
  }`
  expect(gradleBuild(script)).toEqual([
    ['com.example:lamp', '1.2'],
    ['com.example:wick', '*'],
    ['com.example:oil', '*'],
  ])
})

test('reads a lock file without packages, and rejects other text', () => {
  expect(gradleLock('# comment\nempty=classpath\n')).toEqual([])
  expect(() => gradleLock('# notes')).toThrow('it holds no packages')
})

test('skips broken entries of a catalog', () => {
  expect(gradleCatalog({ libraries: { a: 'one', b: 'g:n', c: 'g:m:[1,2)' }, versions: 1 })).toEqual(
    [
      ['g:n', '*'],
      ['g:m', '*'],
    ],
  )
})
