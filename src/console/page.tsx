import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { App } from './app.tsx'
import { queryClient } from './data/query-client.ts'
import { basePath } from './data/session.ts'
import { cssVariables, theme } from './theme.ts'
import { locale } from './words/language.ts'

document.documentElement.lang = locale

const root = document.getElementById('app')
if (!root) throw new Error('the page has no element #app')

// The content security policy allows only the styles with this nonce, which is new in every response.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="petstore-nonce"]')?.content ?? ''
// An open dialog inserts a style that stops the page from scrolling. The package that inserts the style reads the nonce
// from this global variable.
Object.assign(globalThis, { __webpack_nonce__: nonce })

// The keys that compose a word, such as the Enter that commits Japanese input, belong to the input method.
addEventListener(
  'keydown',
  event => {
    // Safari ends the composition before it reports the key, with this code.
    if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation()
  },
  true,
)

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Router base={`${basePath}/console`}>
          {/* With a limit, a note would wait, unseen, for others that stay until someone closes them. */}
          <Notifications position="bottom-right" autoClose={8000} limit={Number.POSITIVE_INFINITY} />
          <App />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
