import { configure } from '@testing-library/react';

/** What is waited for comes as soon as it can: the second that is usual would fail a test on a busy machine. */
configure({ asyncUtilTimeout: 15_000 });
