import { configure } from '@testing-library/react';

/** How long a test waits for what must come: a busy machine takes its time, and one that is idle does not wait. */
configure({ asyncUtilTimeout: 10_000 });
