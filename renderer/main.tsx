import '@fontsource-variable/inter/index.css';
import '@fontsource/jetbrains-mono/400.css';
import './shell/frame.css';
import './shell/toolbar.css';
import './shell/content.css';
import './shell/narrow.css';
import './shell/status-bar.css';
import './shell/notices.css';
import './shell/first-run.css';
import './shell/page.css';
import './shell/palette.css';
import './shell/parts.css';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { App } from './app.tsx';
import { loadScreensWhenIdle } from './features/registry.ts';
import { shell } from './shell/shell-store.ts';

// The page's policy forbids code made from text, which zod would otherwise try for speed.
z.config({ jitless: true });
// The scroll lock of the dialogs adds a style element; the policy lets it in by this load's nonce.
setNonce(document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? '');

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root element');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

const calmMs = 500;

// Only once the window shows something and is at rest: nothing of this may delay it.
const whenReady = shell.subscribe(({ isReady }) => {
  if (!isReady) return;
  whenReady();
  // A screen whose code cannot be loaded says so when it is opened.
  setTimeout(() => loadScreensWhenIdle().catch(() => undefined), calmMs);
});
