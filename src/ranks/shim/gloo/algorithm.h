#pragma once  // nothing of it is named
