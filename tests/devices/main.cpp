// GoogleTest, or the table on one device (devices/command.h).
#include <gtest/gtest.h>

#include "accelerator/device.h"
#include "devices/command.h"

int main(int count, char** arguments) {
  if (heed::devices::is_command(count, arguments))
    return heed::devices::run_command(count, arguments);
  heed::accelerator::register_device();  // before LibTorch is used
  ::testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
