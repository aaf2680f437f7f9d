/** What is done aside, with text that strangers wrote; see platform/aside.ts. */
import { serveAside } from '../../platform/aside/aside-child.ts'
import { showPage } from '../../page/show/show-page.ts'
import { parsers } from '../../source/page-parsers.ts'
import { cutPage } from './cut-page.ts'

serveAside({ ...parsers, cut: cutPage, show: showPage })
