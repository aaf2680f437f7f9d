import { expect, test } from 'bun:test'
import { parsePage } from '../../../src/page/parse.ts'
import { fileReader } from '../../support/page/file-reader.ts'
import { openTitleIndex, titlesFrom } from '../../../src/references/title-index.ts'

const files = {
  'A.docc/Boil.tutorial': `@Tutorial(time: 5) {
    @XcodeRequirement(title: "Xcode 16", destination: "x:/")
    @Intro(title: "Boil water") {
        Learn it.
    }
    @Section(title: "The kettle") {
        @ContentAndMedia {
            Fill it.
            @Image(
                source: "kettle.png",
                alt: "A kettle")
        }
        @Steps {
            @Step {
                Open the lid.
                @Code(name: "Lid.swift", file: lid-01.swift, reset: true) {
                    @Image(source: lid.png, alt: "Lid")
                }
            }
            @Step { Close it. }
        }
    }
}
`,
  'A.docc/Resources/lid-01.swift': 'if x {\n    open()\n}\n',
  'A.docc/Start.tutorial':
    '@Tutorials(name: "Kit") {\n  @Chapter(name: "First") {\n    @TutorialReference(tutorial: "doc:Boil")\n  }\n}\n',
  'A.docc/Page.md':
    '# Page\n\n@Metadata {\n  @PageImage(source: "a")\n}\n\n@TabNavigator {\n  @Tab("Tea") {\n    Hot.\n  }\n}\n\n' +
    '@CallToAction(url: "x:/a.zip", label: "Get it")\n\n@Frame(about: "the hot tea", size: 2) {\n  Full.\n}\n\n' +
    '@Argument property wrappers\n\n```swift\n@Test(.a) {\n}\n```\n',
}

async function shown(path: keyof typeof files): Promise<string> {
  const read = fileReader(files)
  const index = openTitleIndex({ paths: Object.keys(files), read })
  const file = { bytes: Buffer.from(files[path]), path, url: 'x:/' }
  const page = await parsePage(file, { from: path, read, titles: titlesFrom(index, path) })
  return `${page.title}: ${page.text.replace(/[\t\n ]*\n\s*\n/g, '\n\n').trim()}`
}

test('converts a tutorial to headings, steps and complete code', async () => {
  expect(await shown('A.docc/Boil.tutorial')).toBe(
    'Boil water: # Boil water\n\nLearn it.\n\n## The kettle\n\nFill it.\n![A kettle](kettle.png)\n\n' +
      '1. Open the lid.\n\n   `Lid.swift`\n\n   ```swift\n   if x {\n       open()\n   }\n   ```\n\n' +
      '   ![Lid](lid.png)\n\n2. Close it.',
  )
})

test('shows references to tutorials as their titles', async () => {
  expect(await shown('A.docc/Start.tutorial')).toBe('First: ## First\n\n- Boil water')
})

test('removes metadata of articles and keeps the labels of tabs, text and code', async () => {
  expect(await shown('A.docc/Page.md')).toBe(
    'Page: # Page\n\nTea:\n\nHot.\n\n[Get it](x:/a.zip)\n\nthe hot tea\nFull.\n\n@Argument property wrappers\n\n```swift\n@Test(.a) {\n}\n```',
  )
})
